#include "Lane.h"

#include <stdlib.h>

#include "CByteScan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// MARK: Tokens that are rare

// Makes room for `count` more bytes and 16 after them; returns 0 if out of memory.
static int reserve(uint8_t **bytes, size_t *capacity, size_t used, size_t count) {
  size_t needed = used + count + 16;
  if (needed <= *capacity) return 1;
  size_t larger = needed * 2 + 4096;
  uint8_t *moved = realloc(*bytes, larger);
  if (!moved) return 0;
  memset(moved + used, 0, larger - used);
  *bytes = moved;
  *capacity = larger;
  return 1;
}

int coffer_lane_reserve(coffer_lane *lane, size_t count) {
  return reserve(&lane->scratch, &lane->scratch_capacity, lane->scratch_used, count);
}

int coffer_lane_note_name(coffer_lane *lane, const uint8_t *name, uint32_t length) {
  if (!reserve(&lane->names, &lane->names_capacity, lane->names_size, sizeof length + length)) return 0;
  memcpy(lane->names + lane->names_size, &length, sizeof length);
  memcpy(lane->names + lane->names_size + sizeof length, name, length);
  lane->names_size += sizeof length + length;
  return 1;
}

const uint8_t *coffer_lane_long_number(const uint8_t *p) {
  p += *p == '-';
  if (*p == '0') p++;
  else if (*p - '1' <= 8u) do p++; while (*p - '0' <= 9u);
  else return NULL;
  if (*p == '.') {
    if (*++p - '0' > 9u) return NULL;
    do p++; while (*p - '0' <= 9u);
  }
  if (*p == 'e' || *p == 'E') {
    p++;
    p += *p == '+' || *p == '-';
    if (*p - '0' > 9u) return NULL;
    do p++; while (*p - '0' <= 9u);
  }
  return p;
}

/// Returns the value of four hexadecimal digits, or -1.
static int32_t four_digits(const uint8_t *p) {
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    unsigned digit = p[i] - '0', letter = (p[i] | 0x20u) - 'a';
    if (digit > 9 && letter > 5) return -1;
    value = value << 4 | (int32_t)(digit <= 9 ? digit : letter + 10);
  }
  return value;
}

uint8_t *coffer_lane_unescape(const uint8_t **place, uint8_t *out) {
  const uint8_t *p = *place + 2;
  *place = p;
  switch (p[-1]) {
    case '"': case '\\': case '/': *out++ = p[-1]; return out;
    case 'b': *out++ = '\b'; return out;
    case 'f': *out++ = '\f'; return out;
    case 'n': *out++ = '\n'; return out;
    case 'r': *out++ = '\r'; return out;
    case 't': *out++ = '\t'; return out;
    case 'u': break;
    default: return NULL;
  }
  int32_t unit = four_digits(p);
  if (unit < 0 || (unit & 0xFC00) == 0xDC00) return NULL;
  p += 4;
  if ((unit & 0xFC00) == 0xD800) {
    int32_t low = p[0] == '\\' && p[1] == 'u' ? four_digits(p + 2) : -1;
    if (low < 0 || (low & 0xFC00) != 0xDC00) return NULL;
    unit = 0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF));
    p += 6;
  }
  *place = p;
  if (unit < 0x80) {
    *out++ = (uint8_t)unit;
    return out;
  }
  if (unit < 0x800) {
    *out++ = (uint8_t)(0xC0 | unit >> 6);
  } else {
    if (unit < 0x10000) {
      *out++ = (uint8_t)(0xE0 | unit >> 12);
    } else {
      *out++ = (uint8_t)(0xF0 | unit >> 18);
      *out++ = (uint8_t)(0x80 | (unit >> 12 & 0x3F));
    }
    *out++ = (uint8_t)(0x80 | (unit >> 6 & 0x3F));
  }
  *out++ = (uint8_t)(0x80 | (unit & 0x3F));
  return out;
}

// MARK: Portable

static inline uint64_t equal_portable(const uint8_t *a, const uint8_t *b) {
  uint64_t mask = 0;
  for (int i = 0; i < 64; i++) mask |= (uint64_t)(a[i] == b[i]) << i;
  return mask;
}

static inline uint32_t special_portable(const uint8_t *p) {
  uint32_t mask = 0;
  for (int i = 0; i < 32; i++) mask |= (uint32_t)(p[i] < ' ' || p[i] == '"' || p[i] == '\\') << i;
  return mask;
}

static inline uint32_t no_space_portable(const uint8_t *p) {
  uint32_t mask = 0;
  for (int i = 0; i < 32; i++) mask |= (uint32_t)(p[i] != ' ' && p[i] != '\n' && p[i] != '\r' && p[i] != '\t') << i;
  return mask;
}

static inline uint32_t no_digit_portable(const uint8_t *p) {
  uint32_t mask = ~0u << 16;
  for (int i = 0; i < 16; i++) mask |= (uint32_t)(p[i] - '0' > 9u) << i;
  return mask;
}

#define LANE(name) name##_portable
#define LANE_TARGET
#include "LaneLoop.h"

// MARK: AVX2

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

AVX2 static inline __m256i load_avx2(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

AVX2 static inline uint32_t bits_avx2(__m256i bytes) { return (uint32_t)_mm256_movemask_epi8(bytes); }

AVX2 static inline uint64_t equal_avx2(const uint8_t *a, const uint8_t *b) {
  return bits_avx2(_mm256_cmpeq_epi8(load_avx2(a), load_avx2(b))) |
         (uint64_t)bits_avx2(_mm256_cmpeq_epi8(load_avx2(a + 32), load_avx2(b + 32))) << 32;
}

AVX2 static inline uint32_t special_avx2(const uint8_t *p) {
  __m256i v = load_avx2(p);
  __m256i quotes = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')));
  return bits_avx2(_mm256_or_si256(quotes, _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v)));
}

AVX2 static inline uint32_t no_space_avx2(const uint8_t *p) {
  __m256i v = load_avx2(p);
  __m256i ends = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\r')));
  __m256i blanks = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(' ')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\t')));
  return ~bits_avx2(_mm256_or_si256(ends, blanks));
}

AVX2 static inline uint32_t no_digit_avx2(const uint8_t *p) {
  __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
  return ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
}

#define LANE(name) name##_avx2
#define LANE_TARGET AVX2
#include "LaneLoop.h"
#endif

// MARK: NEON

#if defined(__aarch64__)
// One bit per byte: each byte keeps the bit of its position among eight, and three pairwise additions collect them.
static inline uint64_t bits_neon(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t low = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
  uint8x16_t high = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
  low = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

static inline uint64_t equal_neon(const uint8_t *a, const uint8_t *b) {
  uint8x16_t e[4];
  for (int i = 0; i < 4; i++) e[i] = vceqq_u8(vld1q_u8(a + 16 * i), vld1q_u8(b + 16 * i));
  return bits_neon(e[0], e[1], e[2], e[3]);
}

static inline uint8x16_t is_special_neon(uint8x16_t v) {
  uint8x16_t quotes = vorrq_u8(vceqq_u8(v, vdupq_n_u8('"')), vceqq_u8(v, vdupq_n_u8('\\')));
  return vorrq_u8(quotes, vcltq_u8(v, vdupq_n_u8(' ')));
}

static inline uint32_t special_neon(const uint8_t *p) {
  const uint8x16_t none = vdupq_n_u8(0);
  return (uint32_t)bits_neon(is_special_neon(vld1q_u8(p)), is_special_neon(vld1q_u8(p + 16)), none, none);
}

static inline uint8x16_t is_space_neon(uint8x16_t v) {
  uint8x16_t ends = vorrq_u8(vceqq_u8(v, vdupq_n_u8('\n')), vceqq_u8(v, vdupq_n_u8('\r')));
  return vorrq_u8(ends, vorrq_u8(vceqq_u8(v, vdupq_n_u8(' ')), vceqq_u8(v, vdupq_n_u8('\t'))));
}

static inline uint32_t no_space_neon(const uint8_t *p) {
  const uint8x16_t none = vdupq_n_u8(0);
  return ~(uint32_t)bits_neon(is_space_neon(vld1q_u8(p)), is_space_neon(vld1q_u8(p + 16)), none, none);
}

static inline uint32_t no_digit_neon(const uint8_t *p) {
  const uint8x16_t none = vdupq_n_u8(0);
  uint8x16_t digits = vcleq_u8(vsubq_u8(vld1q_u8(p), vdupq_n_u8('0')), vdupq_n_u8(9));
  return ~(uint32_t)bits_neon(digits, none, none, none);
}

#define LANE(name) name##_neon
#define LANE_TARGET
#include "LaneLoop.h"
#endif

// MARK: The choice

int coffer_lane_supports(coffer_lane_kernel kernel) {
  switch (kernel) {
    case COFFER_LANE_BEST:
    case COFFER_LANE_PORTABLE: return 1;
#if defined(__x86_64__)
    case COFFER_LANE_AVX2: return coffer_has_avx2();
#elif defined(__aarch64__)
    case COFFER_LANE_NEON: return 1;
#endif
    default: return 0;
  }
}

static coffer_lane_status (*loop_of(coffer_lane_kernel kernel))(coffer_lane *) {
#if defined(__x86_64__)
  if (kernel != COFFER_LANE_PORTABLE && coffer_lane_supports(COFFER_LANE_AVX2)) return next_avx2;
#elif defined(__aarch64__)
  if (kernel != COFFER_LANE_PORTABLE) return next_neon;
#endif
  return next_portable;
}

coffer_lane *coffer_lane_create(coffer_lane_kernel kernel, uint32_t depth_limit, size_t token_limit) {
  // Sized so that a batch, its events included, stays in a core's own cache.
  enum { EVENTS = 4096, EVENTS_AFTER = 8 };
  coffer_lane *lane = calloc(1, sizeof *lane);
  if (!lane) return NULL;
  lane->depth_limit = depth_limit;
  lane->token_limit = token_limit;
  lane->contexts = calloc((size_t)depth_limit + 1, 1);
  lane->batch.events = malloc((EVENTS + EVENTS_AFTER) * sizeof(coffer_event));
  if (!lane->contexts || !lane->batch.events || !coffer_key_sets_start(&lane->keys, 0, 0, 0)) {
    coffer_lane_destroy(lane);
    return NULL;
  }
  lane->limit = lane->batch.events + EVENTS;
  lane->keys.only_foresees = 1;
  lane->next = loop_of(kernel);
  return lane;
}

void coffer_lane_compare_keys(coffer_lane *lane, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth) {
  coffer_key_sets_seed(&lane->keys, seed_low, seed_high, outer_depth);
  lane->keys.only_foresees = 0;
}

void coffer_lane_destroy(coffer_lane *lane) {
  if (!lane) return;
  free(lane->batch.events);
  free(lane->scratch);
  free(lane->contexts);
  free(lane->names);
  coffer_key_sets_free(&lane->keys);
  free(lane);
}

static void begin(coffer_lane *lane, const uint8_t *bytes, size_t end, coffer_lane_context context) {
  lane->bytes = lane->at = bytes;
  lane->end = bytes + end;
  lane->depth = 0;
  lane->contexts[0] = (uint8_t)context;
  lane->starts_with_value = context == LANE_IN_ARRAY;
  lane->starts_with_key = context == LANE_IN_OBJECT;
  lane->names_size = 0;
  lane->keys.level = lane->keys.levels;
}

void coffer_lane_begin_run(coffer_lane *lane, const uint8_t *bytes, size_t end) { begin(lane, bytes, end, LANE_IN_ARRAY); }

int coffer_lane_begin_members(coffer_lane *lane, const uint8_t *bytes, size_t end) {
  begin(lane, bytes, end, LANE_IN_OBJECT);
  return coffer_key_sets_open(&lane->keys);
}

const uint8_t *coffer_lane_names(const coffer_lane *lane, size_t *size) {
  *size = lane->names_size;
  return lane->names;
}

void coffer_lane_begin_lines(coffer_lane *lane, const uint8_t *bytes, size_t end, size_t line_limit) {
  begin(lane, bytes, end, LANE_IN_LINES);
  lane->line_limit = line_limit;
  lane->line_end = NULL;
}

void coffer_lane_begin_sequence(coffer_lane *lane, const uint8_t *bytes, size_t end) { begin(lane, bytes, end, LANE_IN_SEQUENCE); }

coffer_lane_status coffer_lane_next(coffer_lane *lane) {
  lane->batch.duplicate_keys = 0;
  lane->scratch_used = 0;
  coffer_lane_status status = lane->next(lane);
  if (status == COFFER_LANE_FAILED) lane->batch.count = 0;
  lane->batch.scratch = lane->scratch;
  return status;
}

const coffer_batch *coffer_lane_batch(const coffer_lane *lane) { return &lane->batch; }
