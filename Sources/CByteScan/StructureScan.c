#include "CByteScan.h"

#include <string.h>

#include "UTF8.h"
#include "UTF8Blocks.h"
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

// The brackets differ only in these bits, so one comparison finds all four (and also Y, _, y and DEL).
enum { BRACKET_FOLD = 0x26 };

// A kernel's result for one block; bit i belongs to byte i.
typedef struct {
  uint64_t quote, backslash, comma, newline;
  uint64_t bracket;       // [ ] { }, and four bytes that JSON allows only in strings
  uint64_t high;          // 0x80 and above: UTF-8 must be validated
  uint64_t continuation;  // 10xxxxxx
  uint64_t is_vertical;   // not 0: the block contains a vertical tab or form feed
} block_masks;

// The bytes after an unescaped backslash (simdjson's method: one subtraction handles runs of backslashes).
static inline uint64_t escaped_bytes(uint64_t backslash, uint64_t *is_escaped) {
  uint64_t carried = *is_escaped;
  if (!backslash) {
    *is_escaped = 0;
    return carried;
  }
  const uint64_t odd = 0xAAAAAAAAAAAAAAAAull;
  uint64_t starts = backslash & ~carried;
  uint64_t codes = ((starts << 1 | odd) - starts) ^ odd;
  *is_escaped = (codes & backslash) >> 63;
  return codes ^ (backslash | carried);
}

// Bit i is set if an odd number of bits are set at or below i.
static inline uint64_t running_parity(uint64_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
}

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

// Compares eight bytes at a time: sets the highest bit of each byte that equals `byte`.
static inline uint64_t equal_bytes(uint64_t word, uint8_t byte) {
  uint64_t difference = word ^ (0x0101010101010101ull * byte);
  return ~(((difference & 0x7F7F7F7F7F7F7F7Full) + 0x7F7F7F7F7F7F7F7Full) | difference | 0x7F7F7F7F7F7F7F7Full);
}

// Collects the highest bits of eight bytes in one byte; the first byte gives the lowest bit.
static inline uint64_t gather(uint64_t high_bits) { return (high_bits >> 7) * 0x0102040810204080ull >> 56; }

static inline void classify_portable(const uint8_t *block, block_masks *masks) {
  memset(masks, 0, sizeof *masks);
  for (unsigned i = 0; i < COFFER_SCAN_BLOCK; i += 8) {
    uint64_t word = 0;
    for (unsigned k = 0; k < 8; k++) word |= (uint64_t)block[i + k] << 8 * k;
    uint64_t folded = word | 0x0101010101010101ull * BRACKET_FOLD;
    masks->quote |= gather(equal_bytes(word, '"')) << i;
    masks->backslash |= gather(equal_bytes(word, '\\')) << i;
    masks->bracket |= gather(equal_bytes(folded, 0x7F)) << i;
    masks->comma |= gather(equal_bytes(word, ',')) << i;
    masks->newline |= gather(equal_bytes(word, '\n')) << i;
    uint64_t high = word & 0x8080808080808080ull;
    masks->high |= gather(high) << i;
    masks->continuation |= gather(high & ~(word << 1)) << i;
    masks->is_vertical |= equal_bytes(word, 0x0B) | equal_bytes(word, 0x0C);
  }
}

#define SCAN scan_portable
#define SCAN_TARGET
#define CLASSIFY classify_portable
#define CHECK_UTF8 check_utf8
#define BLOCK_MARK portable_mark
#define BLOCK_COMMAS portable_commas
#include "StructureBlocks.h"

// MARK: AVX2

#if defined(__x86_64__)
#define AVX2 COFFER_AVX2

// The AVX2 equivalent. The end of the previous block matters only if one of its last three bytes is not ASCII.
AVX2 static inline int check_utf8_avx2(coffer_scan *scan, const uint8_t *block, uint64_t high) {
  if (!(high | (scan->utf8_tail & 0x80808000))) {
    scan->utf8_tail = 0;
    return 1;
  }
  return utf8_block_avx2(block, &scan->utf8_tail);
}

AVX2 static inline uint64_t bits(__m256i first, __m256i second) {
  return (uint32_t)_mm256_movemask_epi8(first) | (uint64_t)(uint32_t)_mm256_movemask_epi8(second) << 32;
}

AVX2 static inline uint64_t equal(__m256i first, __m256i second, char byte) {
  __m256i wanted = _mm256_set1_epi8(byte);
  return bits(_mm256_cmpeq_epi8(first, wanted), _mm256_cmpeq_epi8(second, wanted));
}

AVX2 static inline __m256i vertical(__m256i bytes) {
  __m256i distance = _mm256_sub_epi8(bytes, _mm256_set1_epi8(0x0B));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(distance, _mm256_set1_epi8(1)), distance);
}

AVX2 static inline void classify_avx2(const uint8_t *block, block_masks *masks) {
  __m256i first = _mm256_loadu_si256((const __m256i *)block);
  __m256i second = _mm256_loadu_si256((const __m256i *)(block + 32));
  __m256i fold = _mm256_set1_epi8(BRACKET_FOLD);
  masks->quote = equal(first, second, '"');
  masks->backslash = equal(first, second, '\\');
  masks->comma = equal(first, second, ',');
  masks->newline = equal(first, second, '\n');
  masks->bracket = equal(_mm256_or_si256(first, fold), _mm256_or_si256(second, fold), 0x7F);
  masks->high = bits(first, second);
  masks->continuation = 0;
  if (masks->high) {
    __m256i limit = _mm256_set1_epi8(-64);
    masks->continuation = bits(_mm256_cmpgt_epi8(limit, first), _mm256_cmpgt_epi8(limit, second));
  }
  __m256i verticals = _mm256_or_si256(vertical(first), vertical(second));
  masks->is_vertical = !_mm256_testz_si256(verticals, verticals);
}

#define SCAN scan_avx2
#define SCAN_TARGET AVX2
#define CLASSIFY classify_avx2
#define CHECK_UTF8 check_utf8_avx2
#define BLOCK_MARK avx2_mark
#define BLOCK_COMMAS avx2_commas
#include "StructureBlocks.h"
#endif

// MARK: NEON

#if defined(__aarch64__)
// One bit per byte: each byte keeps the bit of its position among eight, and three pairwise additions collect them.
static inline uint64_t neon_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t low = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
  uint8x16_t high = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
  low = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

static inline uint64_t neon_equal(const uint8x16_t v[4], uint8_t byte) {
  uint8x16_t wanted = vdupq_n_u8(byte);
  return neon_bits(vceqq_u8(v[0], wanted), vceqq_u8(v[1], wanted), vceqq_u8(v[2], wanted), vceqq_u8(v[3], wanted));
}

static inline void classify_neon(const uint8_t *block, block_masks *masks) {
  uint8x16_t v[4], folded[4];
  uint8x16_t vertical = vdupq_n_u8(0), any = vdupq_n_u8(0);
  for (int i = 0; i < 4; i++) {
    v[i] = vld1q_u8(block + 16 * i);
    folded[i] = vorrq_u8(v[i], vdupq_n_u8(BRACKET_FOLD));
    vertical = vorrq_u8(vertical, vcleq_u8(vsubq_u8(v[i], vdupq_n_u8(0x0B)), vdupq_n_u8(1)));
    any = vorrq_u8(any, v[i]);
  }
  masks->quote = neon_equal(v, '"');
  masks->backslash = neon_equal(v, '\\');
  masks->comma = neon_equal(v, ',');
  masks->newline = neon_equal(v, '\n');
  masks->bracket = neon_equal(folded, 0x7F);
  masks->high = masks->continuation = 0;
  if (vmaxvq_u8(any) >= 0x80) {
    uint8x16_t limit = vdupq_n_u8(0x80);
    masks->high = neon_bits(vcgeq_u8(v[0], limit), vcgeq_u8(v[1], limit), vcgeq_u8(v[2], limit), vcgeq_u8(v[3], limit));
    uint8x16_t c[4];
    for (int i = 0; i < 4; i++) c[i] = vceqq_u8(vandq_u8(v[i], vdupq_n_u8(0xC0)), limit);
    masks->continuation = neon_bits(c[0], c[1], c[2], c[3]);
  }
  masks->is_vertical = vmaxvq_u8(vertical);
}

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

void coffer_scan_start(coffer_scan *scan, coffer_scan_kernel kernel, int has_byte_order_mark) {
  memset(scan, 0, sizeof *scan);
  scan->end.offset = UINT64_MAX;
  scan->line_start = has_byte_order_mark ? 1 : 0;
  if (kernel == COFFER_SCAN_BEST) {
    kernel = coffer_scan_supports(COFFER_SCAN_AVX2) ? COFFER_SCAN_AVX2
             : coffer_scan_supports(COFFER_SCAN_NEON) ? COFFER_SCAN_NEON
                                                      : COFFER_SCAN_PORTABLE;
  }
  scan->kernel = (int)kernel;
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
