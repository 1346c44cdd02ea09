// A module map can't name headers outside its own folder, and only pkg-config knows where these are.
#include <openssl/evp.h>
#include <openssl/provider.h>
