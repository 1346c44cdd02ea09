#include "CByteScan.h"

#include <string.h>

#include "StructureMasks.h"

#define SCAN range_portable
#define SCAN_TARGET
#define CLASSIFY classify_portable
#define PROVE prove_portable
#define BLOCK_PLACE portable_place
#define BLOCK_COMMAS portable_commas
#define BLOCK_SIDE portable_side
#include "RangeBlocks.h"

#if defined(__x86_64__)
#define SCAN range_avx2
#define SCAN_TARGET COFFER_AVX2
#define CLASSIFY classify_avx2
#define PROVE prove_avx2
#define BLOCK_PLACE avx2_place
#define BLOCK_COMMAS avx2_commas
#define BLOCK_SIDE avx2_side
#include "RangeBlocks.h"
#endif

#if defined(__aarch64__)
#define SCAN range_neon
#define SCAN_TARGET
#define CLASSIFY classify_neon
#define PROVE prove_neon
#define BLOCK_PLACE neon_place
#define BLOCK_COMMAS neon_commas
#define BLOCK_SIDE neon_side
#include "RangeBlocks.h"
#endif

void coffer_range_start(coffer_range *range, coffer_scan_kernel kernel) {
  memset(range, 0, sizeof *range);
  range->kernel = (int)coffer_scan_choice(kernel);
}

void coffer_range_blocks(coffer_range *range, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  if (range->kernel == COFFER_SCAN_AVX2) return range_avx2(range, bytes, count);
#elif defined(__aarch64__)
  if (range->kernel == COFFER_SCAN_NEON) return range_neon(range, bytes, count);
#endif
  range_portable(range, bytes, count);
}

void coffer_range_finish(coffer_range *range, const uint8_t *bytes, size_t count) {
  if (count == 0 || count >= COFFER_SCAN_BLOCK) return;
  // Blanks are allowed anywhere, so they change nothing but the end.
  uint8_t block[COFFER_SCAN_BLOCK];
  memset(block, ' ', sizeof block);
  memcpy(block, bytes, count);
  coffer_range_blocks(range, block, sizeof block);
  range->end.bytes -= COFFER_SCAN_BLOCK - count;
  range->end.scalars -= COFFER_SCAN_BLOCK - count;
}
