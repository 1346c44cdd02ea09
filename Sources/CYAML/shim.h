// A module map names no header outside its own folder, and where this one stands only pkg-config knows.
#include <yaml.h>
