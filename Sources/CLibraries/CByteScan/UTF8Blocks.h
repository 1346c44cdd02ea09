#ifndef COFFER_UTF8_BLOCKS_H
#define COFFER_UTF8_BLOCKS_H

#include <stdint.h>
#include <string.h>

// Validates UTF-8 in blocks of 64 bytes by looking up which pairs of adjacent bytes are invalid.
//
// J. Keiser, D. Lemire, Validating UTF-8 in less than one instruction per byte, Software: Practice and Experience 51 (5), 2021.
// Each error has a bit. Three tables give the errors possible for the high nibble of a byte, its low nibble and the high nibble of the
// next byte; an error that all three give is present.

#if defined(__x86_64__)
#include <immintrin.h>

#define COFFER_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

enum {
  UTF8_TOO_SHORT = 1 << 0,       // a lead without a continuation after it
  UTF8_TOO_LONG = 1 << 1,        // a continuation after ASCII
  UTF8_OVERLONG_3 = 1 << 2,      // E0 80…9F
  UTF8_TOO_LARGE = 1 << 3,       // F4 90…BF, F5…FF
  UTF8_SURROGATE = 1 << 4,       // ED A0…BF
  UTF8_OVERLONG_2 = 1 << 5,      // C0, C1
  UTF8_TOO_LARGE_1000 = 1 << 6,  // F5…FF 80…8F
  UTF8_OVERLONG_4 = 1 << 6,      // F0 80…8F
  UTF8_TWO_CONTINUATIONS = 1 << 7,
  // The errors that do not depend on the low nibble.
  UTF8_CARRY = UTF8_TOO_SHORT | UTF8_TOO_LONG | UTF8_TWO_CONTINUATIONS
};

/// Returns the errors of 32 bytes that follow `previous`: not zero if there are any.
COFFER_AVX2 static inline __m256i utf8_errors_avx2(__m256i input, __m256i previous) {
  const __m256i first_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG,
      (char)UTF8_TWO_CONTINUATIONS, (char)UTF8_TWO_CONTINUATIONS, (char)UTF8_TWO_CONTINUATIONS, (char)UTF8_TWO_CONTINUATIONS,
      UTF8_TOO_SHORT | UTF8_OVERLONG_2, UTF8_TOO_SHORT, UTF8_TOO_SHORT | UTF8_OVERLONG_3 | UTF8_SURROGATE,
      UTF8_TOO_SHORT | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4));
  const char large = (char)(UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000);
  const __m256i first_low = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      (char)(UTF8_CARRY | UTF8_OVERLONG_3 | UTF8_OVERLONG_2 | UTF8_OVERLONG_4), (char)(UTF8_CARRY | UTF8_OVERLONG_2), (char)UTF8_CARRY,
      (char)UTF8_CARRY, (char)(UTF8_CARRY | UTF8_TOO_LARGE), large, large, large, large, large, large, large, large,
      (char)(UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000 | UTF8_SURROGATE), large, large));
  const char continuation = (char)(UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS);
  const __m256i second_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT,
      (char)(continuation | UTF8_OVERLONG_3 | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4), (char)(continuation | UTF8_OVERLONG_3 | UTF8_TOO_LARGE),
      (char)(continuation | UTF8_SURROGATE | UTF8_TOO_LARGE), (char)(continuation | UTF8_SURROGATE | UTF8_TOO_LARGE), UTF8_TOO_SHORT,
      UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT));
  const __m256i half = _mm256_set1_epi8(0x0F);
  __m256i joined = _mm256_permute2x128_si256(previous, input, 0x21);
  __m256i before1 = _mm256_alignr_epi8(input, joined, 15), before2 = _mm256_alignr_epi8(input, joined, 14);
  __m256i before3 = _mm256_alignr_epi8(input, joined, 13);
  __m256i errors = _mm256_and_si256(
      _mm256_and_si256(
          _mm256_shuffle_epi8(first_high, _mm256_and_si256(_mm256_srli_epi16(before1, 4), half)),
          _mm256_shuffle_epi8(first_low, _mm256_and_si256(before1, half))),
      _mm256_shuffle_epi8(second_high, _mm256_and_si256(_mm256_srli_epi16(input, 4), half)));
  // The bytes two and three after leads of three and four bytes must be continuations, and no others.
  __m256i third = _mm256_subs_epu8(before2, _mm256_set1_epi8((char)(0xE0 - 0x80)));
  __m256i fourth = _mm256_subs_epu8(before3, _mm256_set1_epi8((char)(0xF0 - 0x80)));
  __m256i must_continue = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
  return _mm256_xor_si256(must_continue, errors);
}

/// Returns 1 if 64 bytes are well-formed UTF-8 after those whose last four are `*tail`. A sequence that the block leaves
/// incomplete is checked with the next block.
COFFER_AVX2 static inline int utf8_block_avx2(const uint8_t *block, uint32_t *tail) {
  __m256i first = _mm256_loadu_si256((const __m256i *)block), second = _mm256_loadu_si256((const __m256i *)(block + 32));
  __m256i before = _mm256_set_epi32((int)*tail, 0, 0, 0, 0, 0, 0, 0);
  memcpy(tail, block + 60, sizeof *tail);
  __m256i errors = _mm256_or_si256(utf8_errors_avx2(first, before), utf8_errors_avx2(second, first));
  // A last byte that is invalid by itself would only show in the next byte.
  int last_is_wrong = (block[63] & 0xFE) == 0xC0 || block[63] >= 0xF5;
  return _mm256_testz_si256(errors, errors) && !last_is_wrong;
}
#endif

#endif
