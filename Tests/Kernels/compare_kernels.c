// Compares the results of all kernels of the structure scan and the lane on random documents: they must agree with the portable
// ones.
//
// Usage: compare_kernels COUNT SEED     exit status 0: no difference
//
// The Swift tests compare the kernels that the processor supports, and yajl. This program needs neither Swift nor yajl, so it
// runs on every target of a C compiler, for example in an emulator: see Scripts/kernels.sh.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CByteScan.h"
#include "CJSONEvents.h"

// MARK: Random documents

static uint64_t state;

static uint64_t random_below(uint64_t bound) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % bound;
}

// Enough for several batches of events.
enum { CAPACITY = 1 << 17 };

typedef struct {
  uint8_t bytes[CAPACITY + COFFER_LANE_PADDING];
  size_t count, limit;
} text;

static void add(text *document, const char *piece) {
  size_t count = strlen(piece);
  if (document->count + count > document->limit) return;
  memcpy(document->bytes + document->count, piece, count);
  document->count += count;
}

static const char *one_of(const char *const *pieces, size_t count) { return pieces[random_below(count)]; }
#define ONE_OF(...) one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static void add_value(text *document, int depth);

// An object with more keys than a level of the lane holds, or nearly as many.
static void add_wide_object(text *document) {
  int count = 30 + (int)random_below(40);
  for (int member = 0; member < count; member++) {
    char name[32];
    snprintf(name, sizeof name, "%s\"k%d\": 1", member ? ", " : "{", random_below(20) ? member : (int)random_below(70));
    add(document, name);
  }
  add(document, "}");
}

static void add_object(text *document, int depth) {
  const char *space = ONE_OF("", "", " ", "\n    ", "\r\n\t", "\n                                                                          ");
  int count = (int)random_below(6);
  add(document, "{");
  for (int member = 0; member < count; member++) {
    if (member > 0) add(document, ",");
    add(document, space);
    // Mostly the same keys in the same order, like records.
    add(document, random_below(8) ? (const char *const[]){"\"id\"", "\"name\"", "\"createdAt\"", "\"tags\"", "\"a rather long name of a member\"",
                                         "\"notes\""}[member]
                                  : ONE_OF("\"id\"", "\"\"", "\"\\u0069d\"", "\"x\"", "\"\xC3\xA9\"", "\"a\\\\\""));
    add(document, random_below(8) ? ": " : ONE_OF(":", " :", " : ", ":\n"));
    add_value(document, depth + 1);
  }
  add(document, count > 0 ? space : ONE_OF("", " "));
  add(document, "}");
}

static void add_value(text *document, int depth) {
  switch (random_below(depth < 5 ? 10 : 7)) {
    case 0: add(document, ONE_OF("null", "true", "false")); break;
    case 1: case 2: case 3:
      add(document, ONE_OF("0", "-1", "17", "1767225600000", "12345678901234567890", "0.25", "-12.5", "3.000000000000000001", "1e3", "2E-7", "-0"));
      break;
    case 4: case 5: case 6:
      add(document, ONE_OF("\"\"", "\"a\"", "\"2026-06-27T17:40:00Z\"", "\"78C39CD0-3CFF-437A-AC3C-3FF5A4621B4B\"", "\"line\\nbreak\"",
                           "\"\\ud83d\\ude00\"", "\"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\"", "\"a \\\"quoted\\\" word in a text that is longer than thirty-two bytes\"",
                           "\"a text without escapes that is longer than two registers of a processor, by some bytes\""));
      break;
    case 7: case 8: add_object(document, depth); break;
    default:
      add(document, "[");
      for (uint64_t left = random_below(4); left > 0; left--) {
        add_value(document, depth + 1);
        if (left > 1) add(document, ONE_OF(",", ", ", "\n,"));
      }
      add(document, "]");
  }
}

// Makes a run of records; half of the runs are damaged.
static void make(text *document, int is_lines) {
  int is_long = random_below(64) == 0;
  document->count = 0;
  document->limit = is_long ? CAPACITY - 64 : 4000;
  for (uint64_t left = is_long ? 2000 : 1 + random_below(12); left > 0; left--) {
    if (random_below(32)) add_object(document, 0);
    else add_wide_object(document);
    if (left > 1) add(document, is_lines ? ONE_OF("\n", "\r\n", "\n\n") : ONE_OF(",", ",\n", ", "));
  }
  if (random_below(2)) {
    for (uint64_t left = 1 + random_below(3); left > 0 && document->count > 0; left--) {
      static const uint8_t bytes[] = "\"\\{}[]:,0-.eE tu\n\r\x01\x0B\x80\xC3\xE6\xF0";
      document->bytes[random_below(document->count)] = random_below(4) ? bytes[random_below(sizeof bytes - 1)] : (uint8_t)random_below(256);
    }
    if (random_below(8) == 0) document->count -= random_below(document->count);
  }
  // The bytes after the document must make no difference.
  for (size_t i = document->count; i < document->count + COFFER_LANE_PADDING; i++) document->bytes[i] = (uint8_t)random_below(256);
  document->bytes[document->count] = is_lines ? '\n' : ']';
}

// MARK: Comparing

static int differences = 0;

static void report(const text *document, const char *what, int kernel) {
  if (++differences > 10) return;
  fprintf(stderr, "kernel %d differs from the portable one: %s\n", kernel, what);
  fwrite(document->bytes, 1, document->count, stderr);
  fputc('\n', stderr);
}

static int same_batch(const coffer_batch *a, const coffer_batch *b) {
  if (a->count != b->count || a->duplicate_keys != b->duplicate_keys) return 0;
  for (size_t i = 0; i < a->count; i++) {
    if (memcmp(&a->events[i], &b->events[i], sizeof(coffer_event)) != 0) return 0;
    const coffer_event *event = &a->events[i];
    if (event->flags & COFFER_IN_SCRATCH && memcmp(a->scratch + event->text, b->scratch + event->text, event->length) != 0) return 0;
  }
  return 1;
}

static coffer_lane *lane_of(coffer_lane_kernel kernel, const text *document, int is_lines, int compares_keys) {
  coffer_lane *lane = coffer_lane_create(kernel, 8, COFFER_LANE_TOKEN_LIMIT);
  if (!lane) abort();
  if (compares_keys) coffer_lane_compare_keys(lane, 1, 2, 0);
  if (is_lines) coffer_lane_begin_lines(lane, document->bytes, document->count, 2048);
  else coffer_lane_begin_run(lane, document->bytes, document->count);
  return lane;
}

static unsigned long accepted = 0;

static void compare_lanes(const text *document, int is_lines) {
  int compares_keys = random_below(2) != 0;
  static const coffer_lane_kernel kernels[] = {COFFER_LANE_AVX2, COFFER_LANE_NEON};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if (!coffer_lane_supports(kernels[i])) continue;
    coffer_lane *expected = lane_of(COFFER_LANE_PORTABLE, document, is_lines, compares_keys);
    coffer_lane *lane = lane_of(kernels[i], document, is_lines, compares_keys);
    coffer_lane_status status;
    do {
      status = coffer_lane_next(expected);
      if (coffer_lane_next(lane) != status) {
        report(document, "whether the run is whole", kernels[i]);
        break;
      }
      if (!same_batch(coffer_lane_batch(expected), coffer_lane_batch(lane))) {
        report(document, "events", kernels[i]);
        break;
      }
    } while (status == COFFER_LANE_MORE);
    accepted += status == COFFER_LANE_DONE;
    coffer_lane_destroy(expected);
    coffer_lane_destroy(lane);
  }
}

static coffer_scan scan_of(coffer_scan_kernel kernel, const text *document) {
  coffer_scan scan;
  coffer_scan_start(&scan, kernel, 0);
  size_t blocks = document->count / COFFER_SCAN_BLOCK * COFFER_SCAN_BLOCK;
  coffer_scan_blocks(&scan, document->bytes, blocks);
  if (!scan.is_suspect) coffer_scan_finish(&scan, document->bytes + blocks, document->count - blocks);
  return scan;
}

static void compare_scans(const text *document) {
  static const coffer_scan_kernel kernels[] = {COFFER_SCAN_AVX2, COFFER_SCAN_NEON};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if (!coffer_scan_supports(kernels[i])) continue;
    coffer_scan a = scan_of(COFFER_SCAN_PORTABLE, document), b = scan_of(kernels[i], document);
    int is_same = !a.is_suspect == !b.is_suspect && a.offset == b.offset && a.depth == b.depth;
    if (!a.is_suspect) {
      is_same = is_same && a.lines == b.lines && a.scalars == b.scalars && a.in_string == b.in_string;
      uint64_t open = a.depth < COFFER_SCAN_LEVELS ? a.depth : COFFER_SCAN_LEVELS;
      is_same = is_same && memcmp(a.levels, b.levels, open * sizeof *a.levels) == 0;
    }
    if (!is_same) report(document, "structure", kernels[i]);
  }
}

static unsigned long living = 0;

// A range that begins anywhere: in a string or not, after a backslash or not.
static coffer_range range_of(coffer_scan_kernel kernel, const uint8_t *bytes, size_t count) {
  coffer_range range;
  coffer_range_start(&range, kernel);
  size_t blocks = count / COFFER_SCAN_BLOCK * COFFER_SCAN_BLOCK;
  coffer_range_blocks(&range, bytes, blocks);
  coffer_range_finish(&range, bytes + blocks, count - blocks);
  range.kernel = 0;
  return range;
}

static void compare_ranges(const text *document) {
  static const coffer_scan_kernel kernels[] = {COFFER_SCAN_AVX2, COFFER_SCAN_NEON};
  size_t start = document->count > 0 ? random_below(document->count) : 0;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if (!coffer_scan_supports(kernels[i])) continue;
    coffer_range a = range_of(COFFER_SCAN_PORTABLE, document->bytes + start, document->count - start);
    coffer_range b = range_of(kernels[i], document->bytes + start, document->count - start);
    if (memcmp(&a, &b, sizeof a) != 0) report(document, "a range", kernels[i]);
    living += !a.outside.is_dead + !a.inside.is_dead;
  }
}

// MARK: Bytes

// Both functions choose their instructions themselves: short pieces use the portable code.
static void compare_bytes(const text *document) {
  int incomplete = 0, of_piece = 0;
  size_t prefix = coffer_utf8_prefix(document->bytes, document->count, &incomplete), expected = 0;
  while (expected < document->count) {
    size_t piece = document->count - expected < 16 ? document->count - expected : 16;
    size_t valid = coffer_utf8_prefix(document->bytes + expected, piece, &of_piece);
    expected += valid;
    if (valid == 0 || (valid < piece && !of_piece)) break;
  }
  if (prefix != expected || incomplete != of_piece) report(document, "UTF-8", 0);

  uint64_t line = 1, column = 1, expected_line = 1, expected_column = 1;
  coffer_advance_position(document->bytes, document->count, &line, &column);
  for (size_t i = 0; i < document->count; i++) coffer_advance_position(document->bytes + i, 1, &expected_line, &expected_column);
  if (line != expected_line || column != expected_column) report(document, "line and column", 0);
}

// MARK: UUIDs

static int digit_value(uint8_t byte) {
  const char *digits = "0123456789abcdef0123456789ABCDEF", *found = byte ? strchr(digits, byte) : NULL;
  return found ? (int)((found - digits) % 16) : -1;
}

static void compare_uuids(void) {
  text uuid = {.count = 36};
  memcpy(uuid.bytes, ONE_OF("78C39CD0-3CFF-437A-AC3C-3FF5A4621B4B", "0935c7e0-d5f0-423c-ac6c-be80421e00a1", "00000000-0000-0000-0000-000000000000"), 36);
  for (uint64_t left = random_below(3); left > 0; left--) uuid.bytes[random_below(36)] = (uint8_t)random_below(256);
  uint64_t words[2] = {0, 0}, read[2] = {0, 0};
  int letters = 0;
  for (int i = 0, place = 0; i < 36 && letters >= 0; i++) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (uuid.bytes[i] != '-') letters = -1;
      continue;
    }
    int value = digit_value(uuid.bytes[i]);
    if (value < 0) {
      letters = -1;
      break;
    }
    words[place / 16] = words[place / 16] << 4 | (uint64_t)value;
    place++;
    if (value > 9) letters |= uuid.bytes[i] < 'a' ? COFFER_UUID_CAPITALS : COFFER_UUID_SMALL_LETTERS;
  }
  int found = coffer_read_uuid(uuid.bytes, &read[0], &read[1]);
  if (found != letters || (letters >= 0 && memcmp(words, read, sizeof words) != 0)) report(&uuid, "UUID", 0);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fputs("usage: compare_kernels COUNT SEED\n", stderr);
    return 2;
  }
  state = strtoull(arguments[2], NULL, 10) * 2 + 1;
  for (unsigned long left = strtoul(arguments[1], NULL, 10); left > 0; left--) {
    static text document;
    int is_lines = random_below(4) == 0;
    make(&document, is_lines);
    compare_lanes(&document, is_lines);
    compare_scans(&document);
    compare_ranges(&document);
    compare_bytes(&document);
    compare_uuids();
  }
  printf("%s documents, accepted %lu times, %lu ranges, %d differences\n", arguments[1], accepted, living, differences);
  return differences > 0;
}
