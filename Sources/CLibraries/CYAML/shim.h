// A module map can't name headers outside its own folder, and only pkg-config knows where this one is.
#include <yaml.h>
