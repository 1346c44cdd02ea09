// A module map can't name headers outside its own folder, and only pkg-config knows where these are.
// OpenSSL 3 deprecates functions below EVP.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>
