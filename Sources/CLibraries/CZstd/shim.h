// A module map can't name headers outside its own folder, and only pkg-config knows where these are.
#include <zstd.h>
#include <zstd_errors.h>
