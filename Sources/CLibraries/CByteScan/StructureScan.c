#include "CByteScan.h"

#include <string.h>

#include "StructureMasks.h"
#include "UTF8.h"
#include "UTF8Blocks.h"

// Returns 1 if a block, which may begin and end inside a sequence, is well-formed UTF-8. Steps from one non-ASCII byte to the
// next.
static int check_utf8(coffer_scan *scan, const uint8_t *block, uint64_t high) {
  if (!(high | scan->utf8_missing)) return 1;
  uint32_t missing = scan->utf8_missing;
  uint8_t low = scan->utf8_low, top = scan->utf8_high;
  unsigned i = 0;
  for (;;) {
    while (missing > 0) {
      if (i == COFFER_SCAN_BLOCK) {
        scan->utf8_missing = missing;
        scan->utf8_low = low;
        scan->utf8_high = top;
        return 1;
      }
      uint8_t byte = block[i++];
      if (byte < low || byte > top) return 0;
      low = 0x80;
      top = 0xBF;
      missing--;
    }
    uint64_t rest = i < COFFER_SCAN_BLOCK ? high >> i << i : 0;
    if (!rest) {
      scan->utf8_missing = 0;
      return 1;
    }
    i = (unsigned)__builtin_ctzll(rest);
    size_t length = utf8_sequence_length(block[i++], &low, &top);
    if (length == 0) return 0;
    missing = (uint32_t)length - 1;
  }
}

// MARK: Portable

#define SCAN scan_portable
#define SCAN_TARGET
#define CLASSIFY classify_portable
#define CHECK_UTF8 check_utf8
#define BLOCK_MARK portable_mark
#define BLOCK_COMMAS portable_commas
#include "StructureBlocks.h"

// MARK: AVX2

#if defined(__x86_64__)
// The AVX2 equivalent. The end of the previous block matters only if one of its last three bytes is not ASCII.
COFFER_AVX2 static inline int check_utf8_avx2(coffer_scan *scan, const uint8_t *block, uint64_t high) {
  if (!(high | (scan->utf8_tail & 0x80808000))) {
    scan->utf8_tail = 0;
    return 1;
  }
  return utf8_block_avx2(block, &scan->utf8_tail);
}

#define SCAN scan_avx2
#define SCAN_TARGET COFFER_AVX2
#define CLASSIFY classify_avx2
#define CHECK_UTF8 check_utf8_avx2
#define BLOCK_MARK avx2_mark
#define BLOCK_COMMAS avx2_commas
#include "StructureBlocks.h"
#endif

// MARK: NEON

#if defined(__aarch64__)
#define SCAN scan_neon
#define SCAN_TARGET
#define CLASSIFY classify_neon
#define CHECK_UTF8 check_utf8
#define BLOCK_MARK neon_mark
#define BLOCK_COMMAS neon_commas
#include "StructureBlocks.h"
#endif

// MARK: The choice

int coffer_scan_supports(coffer_scan_kernel kernel) {
  switch (kernel) {
    case COFFER_SCAN_BEST:
    case COFFER_SCAN_PORTABLE: return 1;
    case COFFER_SCAN_AVX2: return coffer_has_avx2();
    case COFFER_SCAN_NEON:
#if defined(__aarch64__)
      return 1;
#else
      return 0;
#endif
  }
  return 0;
}

coffer_scan_kernel coffer_scan_choice(coffer_scan_kernel kernel) {
  if (kernel != COFFER_SCAN_BEST) return kernel;
  if (coffer_scan_supports(COFFER_SCAN_AVX2)) return COFFER_SCAN_AVX2;
  return coffer_scan_supports(COFFER_SCAN_NEON) ? COFFER_SCAN_NEON : COFFER_SCAN_PORTABLE;
}

void coffer_scan_start(coffer_scan *scan, coffer_scan_kernel kernel, int has_byte_order_mark) {
  memset(scan, 0, sizeof *scan);
  scan->end.offset = UINT64_MAX;
  scan->line_start = has_byte_order_mark ? 1 : 0;
  scan->kernel = (int)coffer_scan_choice(kernel);
}

void coffer_scan_blocks(coffer_scan *scan, const uint8_t *bytes, size_t count) {
  if (scan->is_suspect) return;
#if defined(__x86_64__)
  if (scan->kernel == COFFER_SCAN_AVX2) return scan_avx2(scan, bytes, count);
#elif defined(__aarch64__)
  if (scan->kernel == COFFER_SCAN_NEON) return scan_neon(scan, bytes, count);
#endif
  scan_portable(scan, bytes, count);
}

void coffer_scan_finish(coffer_scan *scan, const uint8_t *bytes, size_t count) {
  uint8_t block[COFFER_SCAN_BLOCK];
  memset(block, ' ', sizeof block);
  memcpy(block, bytes, count < sizeof block ? count : sizeof block);
  coffer_scan_blocks(scan, block, sizeof block);
}
