#ifndef COFFER_STRUCTURE_MASKS_H
#define COFFER_STRUCTURE_MASKS_H

#include <stdint.h>
#include <string.h>

#include "CByteScan.h"
#include "UTF8Blocks.h"
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

// What the scan of a document and that of a range look for in a block of 64 bytes, for each instruction set.

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

// What a range must also know about a block: which bytes prove that a place is not inside, or not outside, a string.
typedef struct {
  uint64_t foreign;  // bytes that JSON allows only in strings, or nowhere
  uint64_t control;  // below 0x20: not in strings
} proof_masks;

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

// The ASCII characters that JSON allows outside strings, by the high nibble; bit i belongs to the low nibble i.
static const uint16_t outside_rows[8] = {
    1 << 0x9 | 1 << 0xA | 1 << 0xD,  // tab, line feed, carriage return
    0,
    1 << 0x0 | 1 << 0x2 | 1 << 0xB | 1 << 0xC | 1 << 0xD | 1 << 0xE,  // blank " + , - .
    0x7FF,                                                            // digits :
    1 << 0x5,                                                         // E
    1 << 0xB | 1 << 0xD,                                              // [ ]
    1 << 0x1 | 1 << 0x5 | 1 << 0x6 | 1 << 0xC | 1 << 0xE,             // a e f l n
    1 << 0x2 | 1 << 0x3 | 1 << 0x4 | 1 << 0x5 | 1 << 0xB | 1 << 0xD,  // r s t u { }
};

static inline void prove_portable(const uint8_t *block, proof_masks *masks) {
  memset(masks, 0, sizeof *masks);
  for (unsigned i = 0; i < COFFER_SCAN_BLOCK; i++) {
    uint8_t byte = block[i];
    uint64_t is_allowed = (byte < 0x80) & outside_rows[byte >> 4 & 7] >> (byte & 15);
    masks->foreign |= (is_allowed ^ 1) << i;
    masks->control |= (uint64_t)(byte < 0x20) << i;
  }
}

// The same characters for look-ups in two tables, by the low and the high nibble: both have a bit in common if the byte is allowed.
// Each of the seven rows that are not empty has a bit.
#define OUTSIDE_LOW_HALVES \
  2 | 4, 4 | 32, 2 | 4 | 64, 4 | 64, 4 | 64, 4 | 8 | 32 | 64, 4 | 32, 4, \
  4, 1 | 4, 1 | 4, 2 | 16 | 64, 2 | 32, 1 | 2 | 16 | 64, 2 | 32, 0
#define OUTSIDE_HIGH_HALVES 1, 0, 2, 4, 8, 16, 32, 64, 0, 0, 0, 0, 0, 0, 0, 0

// MARK: AVX2

#if defined(__x86_64__)
COFFER_AVX2 static inline uint64_t bits(__m256i first, __m256i second) {
  return (uint32_t)_mm256_movemask_epi8(first) | (uint64_t)(uint32_t)_mm256_movemask_epi8(second) << 32;
}

COFFER_AVX2 static inline uint64_t equal(__m256i first, __m256i second, char byte) {
  __m256i wanted = _mm256_set1_epi8(byte);
  return bits(_mm256_cmpeq_epi8(first, wanted), _mm256_cmpeq_epi8(second, wanted));
}

COFFER_AVX2 static inline __m256i vertical(__m256i bytes) {
  __m256i distance = _mm256_sub_epi8(bytes, _mm256_set1_epi8(0x0B));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(distance, _mm256_set1_epi8(1)), distance);
}

COFFER_AVX2 static inline void classify_avx2(const uint8_t *block, block_masks *masks) {
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

COFFER_AVX2 static inline __m256i foreign(__m256i bytes) {
  const __m256i low = _mm256_broadcastsi128_si256(_mm_setr_epi8(OUTSIDE_LOW_HALVES));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_setr_epi8(OUTSIDE_HIGH_HALVES));
  // A byte from 0x80 up selects nothing from the first table.
  __m256i halves = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
  __m256i rows = _mm256_and_si256(_mm256_shuffle_epi8(low, bytes), _mm256_shuffle_epi8(high, halves));
  return _mm256_cmpeq_epi8(rows, _mm256_setzero_si256());
}

COFFER_AVX2 static inline __m256i control(__m256i bytes) {
  return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F)), bytes);
}

COFFER_AVX2 static inline void prove_avx2(const uint8_t *block, proof_masks *masks) {
  __m256i first = _mm256_loadu_si256((const __m256i *)block);
  __m256i second = _mm256_loadu_si256((const __m256i *)(block + 32));
  masks->foreign = bits(foreign(first), foreign(second));
  masks->control = bits(control(first), control(second));
}
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

static inline void prove_neon(const uint8_t *block, proof_masks *masks) {
  const uint8x16_t low = {OUTSIDE_LOW_HALVES}, high = {OUTSIDE_HIGH_HALVES};
  uint8x16_t foreign[4], control[4];
  for (int i = 0; i < 4; i++) {
    uint8x16_t v = vld1q_u8(block + 16 * i);
    // A byte from 0x80 up selects nothing from the first table.
    uint8x16_t rows = vandq_u8(vqtbl1q_u8(low, vandq_u8(v, vdupq_n_u8(0x8F))), vqtbl1q_u8(high, vshrq_n_u8(v, 4)));
    foreign[i] = vceqq_u8(rows, vdupq_n_u8(0));
    control[i] = vcltq_u8(v, vdupq_n_u8(0x20));
  }
  masks->foreign = neon_bits(foreign[0], foreign[1], foreign[2], foreign[3]);
  masks->control = neon_bits(control[0], control[1], control[2], control[3]);
}
#endif

#endif
