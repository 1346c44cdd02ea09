// A module map names no header outside its own folder, and where these stand only pkg-config knows.
#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>

// Before 1.9.4 the member has another name: Swift can't ask for the version when it is compiled. There the library checks, too.
static inline LZ4F_decompressOptions_t coffer_lz4_unchecked(void) {
  LZ4F_decompressOptions_t options = {0};
#if LZ4_VERSION_NUMBER >= 10904
  options.skipChecksums = 1;
#endif
  return options;
}
