// A module map can't name headers outside its own folder, and only pkg-config knows where these are.
#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>

// Before 1.9.4 the member has another name, and Swift can't test the version at compile time. Older libraries always verify
// checksums.
static inline LZ4F_decompressOptions_t coffer_lz4_unchecked(void) {
  LZ4F_decompressOptions_t options = {0};
#if LZ4_VERSION_NUMBER >= 10904
  options.skipChecksums = 1;
#endif
  return options;
}
