#include "CByteScan.h"

#include <string.h>

#include "UTF8.h"
#include "UTF8Blocks.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

// The number of leading bytes that are ASCII.
static size_t ascii_prefix(const uint8_t *bytes, size_t count) {
  size_t i = 0;
#ifdef __SSE2__
  for (; count - i >= 16; i += 16) {
    unsigned mask = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(bytes + i)));
    if (mask != 0) return i + (size_t)__builtin_ctz(mask);
  }
#else
  for (; count - i >= 8; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    if ((word & 0x8080808080808080u) != 0) break;
  }
#endif
  while (i < count && bytes[i] < 0x80) i++;
  return i;
}

int coffer_has_avx2(void) {
#if defined(__x86_64__)
  // All features that COFFER_AVX2 enables in the compiler.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt");
#else
  return 0;
#endif
}

#if defined(__x86_64__)
// Returns the length of the leading whole blocks of well-formed UTF-8, without a sequence that the last one leaves incomplete.
COFFER_AVX2 static size_t utf8_blocks_avx2(const uint8_t *bytes, size_t count) {
  uint32_t tail = 0;
  size_t i = 0;
  while (count - i >= 64 && utf8_block_avx2(bytes + i, &tail)) i += 64;
  // That sequence must be checked from its first byte.
  for (size_t back = 1; back <= 3 && back <= i; back++) {
    if (bytes[i - back] >= 0xC0) return i - back;
  }
  return i;
}
#endif

size_t coffer_utf8_prefix(const uint8_t *bytes, size_t count, int *incomplete) {
  *incomplete = 0;
  size_t i = 0;
#if defined(__x86_64__)
  if (count >= 64 && coffer_has_avx2()) i = utf8_blocks_avx2(bytes, count);
#endif
  while ((i += ascii_prefix(bytes + i, count - i)) < count) {
    uint8_t low, high;
    size_t length = utf8_sequence_length(bytes[i], &low, &high);
    if (length == 0) return i;
    for (size_t k = 1; k < length; k++) {
      if (i + k == count) {
        *incomplete = 1;
        return i;
      }
      uint8_t byte = bytes[i + k];
      if (byte < low || byte > high) return i;
      low = 0x80;
      high = 0xBF;
    }
    i += length;
  }
  return count;
}

size_t coffer_find_vertical_space(const uint8_t *bytes, size_t count) {
  const uint8_t *tab = memchr(bytes, 0x0B, count);
  if (tab) count = (size_t)(tab - bytes);
  const uint8_t *feed = memchr(bytes, 0x0C, count);
  return feed ? (size_t)(feed - bytes) : count;
}

// A sum of at most 240 comparisons fits into a byte, so the compiler uses byte lanes: 16 or 32 per instruction.
enum { BLOCK = 240 };

static uint64_t count_newlines(const uint8_t *bytes, size_t count) {
  uint64_t total = 0;
  for (; count >= BLOCK; bytes += BLOCK, count -= BLOCK) {
    uint8_t sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += bytes[i] == '\n';
    total += sum;
  }
  for (size_t i = 0; i < count; i++) total += bytes[i] == '\n';
  return total;
}

// Counts all bytes except continuations.
static uint64_t count_scalars(const uint8_t *bytes, size_t count) {
  uint64_t total = 0;
  for (; count >= BLOCK; bytes += BLOCK, count -= BLOCK) {
    uint8_t sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += (bytes[i] & 0xC0) != 0x80;
    total += sum;
  }
  for (size_t i = 0; i < count; i++) total += (bytes[i] & 0xC0) != 0x80;
  return total;
}

#if defined(__x86_64__)
// Requires at least 32 bytes. The last step reloads bytes that were already counted, and ignores them.
COFFER_AVX2 static void advance_position_avx2(const uint8_t *bytes, size_t count, uint64_t *line, uint64_t *column) {
  const __m256i newline = _mm256_set1_epi8('\n'), last_continuation = _mm256_set1_epi8((char)0xBF);
  for (size_t i = 0; i < count; i += 32) {
    size_t from = count - i < 32 ? count - 32 : i;
    uint32_t counted = ~0u << (i - from);
    __m256i v = _mm256_loadu_si256((const __m256i *)(bytes + from));
    uint32_t breaks = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, newline)) & counted;
    uint32_t scalars = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(v, last_continuation)) & counted;
    if (breaks) {
      *line += (uint64_t)__builtin_popcount(breaks);
      *column = 1;
      // Two shifts, because a shift by 32 is undefined.
      scalars = scalars >> (31 - __builtin_clz(breaks)) >> 1;
    }
    *column += (uint64_t)__builtin_popcount(scalars);
  }
}
#endif

void coffer_advance_position(const uint8_t *bytes, size_t count, uint64_t *line, uint64_t *column) {
#if defined(__x86_64__)
  if (count >= 32 && coffer_has_avx2()) return advance_position_avx2(bytes, count, line, column);
#endif
  uint64_t newlines = count_newlines(bytes, count);
  size_t start = 0;
  if (newlines > 0) {
    start = count;
    while (bytes[start - 1] != '\n') start--;
    *line += newlines;
    *column = 1;
  }
  *column += count_scalars(bytes + start, count - start);
}

// The value of the four hexadecimal digits after `\u`; yajl has checked that they are digits.
static unsigned hex4(const uint8_t *bytes) {
  unsigned value = 0;
  for (int i = 0; i < 4; i++) {
    uint8_t c = bytes[i];
    value = value << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

size_t coffer_find_lone_surrogate(const uint8_t *bytes, size_t count) {
  size_t i = 0;
  while (i < count) {
    const uint8_t *backslash = memchr(bytes + i, '\\', count - i);
    if (!backslash) return count;
    i = (size_t)(backslash - bytes);
    if (count - i < 6 || bytes[i + 1] != 'u') {
      i += 2;
      continue;
    }
    unsigned unit = hex4(bytes + i + 2);
    if (unit >= 0xDC00 && unit <= 0xDFFF) return i;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      if (count - i < 12 || bytes[i + 6] != '\\' || bytes[i + 7] != 'u') return i;
      unsigned second = hex4(bytes + i + 8);
      if (second < 0xDC00 || second > 0xDFFF) return i;
      i += 6;
    }
    i += 6;
  }
  return count;
}

int coffer_find_string_end(const uint8_t *bytes, size_t count, size_t *position) {
  size_t i = *position;
  while (i < count) {
    const uint8_t *quote = memchr(bytes + i, '"', count - i);
    size_t end = quote ? (size_t)(quote - bytes) : count;
    const uint8_t *backslash = memchr(bytes + i, '\\', end - i);
    if (!backslash) {
      *position = end;
      return quote != NULL;
    }
    i = (size_t)(backslash - bytes) + 2;
  }
  *position = i;
  return 0;
}

// MARK: UUIDs

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));

static inline int has_any(words2 words) { return (words[0] | words[1]) != 0; }

/// Converts sixteen digits, one per byte. Sets all bits in `*unknown` where a byte is not a digit.
static inline words2 digit_values(words2 text, words2 *unknown, words2 *letters) {
  bytes16 bytes = (bytes16)text;
  bytes16 is_letter = (bytes16)((bytes | 0x20) - 'a' < (bytes16){} + 6);
  bytes16 is_figure = (bytes16)(bytes - '0' < (bytes16){} + 10);
  *unknown |= ~(words2)(is_letter | is_figure);
  *letters = (words2)is_letter;
  // The low half of a letter's code is its position in the alphabet from 1, and 'a' has the value 10.
  words2 values = (words2)((bytes & 0x0F) + (is_letter & 9));
  // Combines two digits into a byte, two bytes into half a word, two halves into a word.
  values = (values << 4 | values >> 8) & 0x00FF00FF00FF00FF;
  values = (values | values >> 8) & 0x0000FFFF0000FFFF;
  return (values | values >> 16) & 0xFFFFFFFF;
}

int coffer_read_uuid(const uint8_t *text, uint64_t *high, uint64_t *low) {
  // Each word holds eight digits without hyphens.
  uint64_t words[4];
  uint32_t fours[4];
  memcpy(&words[0], text, 8);
  memcpy(&fours[0], text + 9, 4);
  memcpy(&fours[1], text + 14, 4);
  memcpy(&fours[2], text + 19, 4);
  memcpy(&fours[3], text + 24, 4);
  memcpy(&words[3], text + 28, 8);
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return -1;
  words2 first = {words[0], fours[0] | (uint64_t)fours[1] << 32}, second = {fours[2] | (uint64_t)fours[3] << 32, words[3]};
  words2 unknown = {}, first_letters, second_letters;
  words2 a = digit_values(first, &unknown, &first_letters), b = digit_values(second, &unknown, &second_letters);
  if (has_any(unknown)) return -1;
  *high = __builtin_bswap64(a[0] | a[1] << 32);
  *low = __builtin_bswap64(b[0] | b[1] << 32);
  // The bit that distinguishes lowercase from uppercase letters.
  const words2 small = (words2)((bytes16){} + 0x20);
  int has_capitals = has_any((first_letters & ~first & small) | (second_letters & ~second & small));
  int has_small_letters = has_any((first_letters & first & small) | (second_letters & second & small));
  return has_capitals * COFFER_UUID_CAPITALS | has_small_letters * COFFER_UUID_SMALL_LETTERS;
}
