#ifndef COFFER_JSON_EVENTS_H
#define COFFER_JSON_EVENTS_H

#include <stddef.h>
#include <stdint.h>

// Two readers append flat records to a batch, so that Swift is called once per chunk instead of once per token: yajl's callbacks,
// which read any document and diagnose errors, and the lane, which reads runs of records several times as fast.

enum {
  COFFER_NULL,
  COFFER_FALSE,
  COFFER_TRUE,
  COFFER_NUMBER,
  COFFER_STRING,
  COFFER_ARRAY_START,
  COFFER_OBJECT_START,
  COFFER_ARRAY_END,
  COFFER_OBJECT_END,
  COFFER_KEY,
};

enum {
  /// `text` is an offset in the scratch memory, not the buffer: the string had escapes, which are resolved there.
  COFFER_IN_SCRATCH = 1,
  /// The key is a duplicate in its object, and keys are compared.
  COFFER_DUPLICATE_KEY = 2
};

/// 16 bytes, so that four share a cache line. Offsets are relative to the start of the buffer that was fed.
typedef struct {
  uint32_t start;   // the start of the token, including its quote
  uint32_t text;    // the start of a string's or key's content, or of a number's digits
  uint32_t length;  // the length of that text in bytes
  uint8_t kind;
  uint8_t flags;
  uint16_t reserved;
} coffer_event;

typedef enum {
  COFFER_OK,
  COFFER_SYNTAX,          // yajl rejected the bytes after `last_end`
  COFFER_DEPTH,           // more open brackets than allowed, at `error`
  COFFER_TOKEN,           // a string or number is longer than allowed, at `error`
  COFFER_LONE_SURROGATE,  // an escape for an unpaired surrogate, at `error`
  COFFER_MEMORY,          // malloc failed
} coffer_status;

typedef struct {
  coffer_event *events;
  size_t count;
  const uint8_t *scratch;
  size_t last_end;    // the end of the last token that became an event (brackets, keys, values), from the buffer's start
  size_t error;       // from the buffer's start
  uint32_t depth;     // of open brackets
  int8_t last_kind;   // of the last event; -1 before the first
  uint8_t root_done;  // the root value is complete
  size_t duplicate_keys;  // the number of events with that flag
} coffer_batch;

// MARK: yajl (YajlEvents.c, the only code that calls yajl's parser)

typedef struct coffer_parser coffer_parser;

/// Returns NULL if out of memory. `depth_limit` is the maximum number of open brackets.
coffer_parser *coffer_parser_create(uint32_t depth_limit, size_t token_limit);

/// Enables the comparison of each key with the previous ones in its object, as bytes with escapes resolved. Call it before
/// anything is fed. Returns 0 if out of memory.
///
/// A key is compared with the first 1 048 576 different ones of an object inside fewer than 8 other brackets, and with the first
/// 4096 of others. Hashes of 64 bits or more are compared for keys longer than 16 bytes and in objects with more than 64 keys;
/// `seed_low` and `seed_high` must be unpredictable, to prevent deliberate collisions. `outer_depth` brackets are open around the
/// input: an object has the same limit wherever it is read.
int coffer_parser_compare_keys(coffer_parser *parser, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

void coffer_parser_destroy(coffer_parser *parser);

/// The result of the last feed; valid until the next call.
const coffer_batch *coffer_parser_batch(const coffer_parser *parser);

/// Empties the batch.
void coffer_parser_clear(coffer_parser *parser);

/// Feeds `text`, which replaces parts that are not read here (an opening bracket, omitted items), without creating events. No
/// token of a buffer may be incomplete; the next feed begins at index 0 of another buffer.
coffer_status coffer_parser_prime(coffer_parser *parser, const char *text);

/// Feeds `buffer[from ..< to]`. `buffer[last_end ..< from]` must still hold the bytes fed before, at most 4 GiB in all.
coffer_status coffer_parser_feed(coffer_parser *parser, const uint8_t *buffer, size_t from, size_t to);

/// Marks the end of the input at `to`, which completes a number at the root. `root_done` shows whether anything is incomplete. A
/// number inside a bracket, which may have been truncated, sets `last_kind` and `last_end`, but is not an event.
coffer_status coffer_parser_finish(coffer_parser *parser, const uint8_t *buffer, size_t to);

/// Reports that the buffer's first `count` bytes were dropped, at most up to `last_end` and the white space after it.
void coffer_parser_slide(coffer_parser *parser, size_t count);

/// Returns 1 if the innermost open bracket is an object's; 0 at depth 0.
int coffer_parser_in_object(const coffer_parser *parser);

/// Adds the names of members of the innermost open object that were read elsewhere, as coffer_lane_names returns them, to those
/// that its further keys are compared with. Returns 1; or 0, and adds none, if the object already has one of them, no object is
/// open, or keys are not compared; or -1 if out of memory. The names must differ from each other.
int coffer_parser_take_names(coffer_parser *parser, const uint8_t *names, size_t size);

// MARK: The lane (Lane.c)

/// Reads a run of values (`v , v , … v ]`), of members (`"a" : v , "b" : v … }`), lines of one value each, or a sequence of values,
/// in valid UTF-8, and produces the same events as yajl's callbacks.
///
/// It accepts exactly the same input. For anything else it returns COFFER_LANE_FAILED without a cause, and the caller parses the
/// run again with yajl to get the error. Records have the same keys in the same order, so the lane compares the bytes between two
/// values (`,\n      "name": `) with those of the previous record, and parses them only if they differ.
typedef struct coffer_lane coffer_lane;

/// The instruction sets for comparing bytes. All give the same events; the best one is chosen at run time.
typedef enum { COFFER_LANE_BEST, COFFER_LANE_PORTABLE, COFFER_LANE_AVX2, COFFER_LANE_NEON } coffer_lane_kernel;

typedef enum { COFFER_LANE_MORE, COFFER_LANE_DONE, COFFER_LANE_FAILED } coffer_lane_status;

enum {
  /// The number of bytes after the run's end that must be readable, with any content.
  COFFER_LANE_PADDING = 128,
  /// The smallest token limit: longer tokens than allowed are only rejected from this length on.
  COFFER_LANE_TOKEN_LIMIT = 64
};

/// Returns 1 if this machine supports the kernel.
int coffer_lane_supports(coffer_lane_kernel kernel);

/// Returns NULL if out of memory. `depth_limit` is the maximum number of open brackets, including the one around the run;
/// `token_limit` is at least COFFER_LANE_TOKEN_LIMIT.
coffer_lane *coffer_lane_create(coffer_lane_kernel kernel, uint32_t depth_limit, size_t token_limit);

/// The same as coffer_parser_compare_keys.
void coffer_lane_compare_keys(coffer_lane *lane, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

void coffer_lane_destroy(coffer_lane *lane);

/// Begins a run: `bytes[0 ..< end]`, where `bytes[end]` is the bracket that ends it. At most 4 GiB.
void coffer_lane_begin_run(coffer_lane *lane, const uint8_t *bytes, size_t end);

/// Begins a run of members: `bytes[0 ..< end]`, where `bytes[end]` is the brace that ends it. If keys are compared, the run fails
/// if two of its members have the same name. Returns 0 if out of memory.
int coffer_lane_begin_members(coffer_lane *lane, const uint8_t *bytes, size_t end);

/// Returns the names of the run's members so far, one after the other: the length of each, 4 bytes, then its text with escapes
/// resolved. 16 bytes after them are readable. Only if keys are compared.
const uint8_t *coffer_lane_names(const coffer_lane *lane, size_t *size);

/// Begins lines: `bytes[0 ..< end]`, where `bytes[end]` is the line break after the last one. A line without its break has at
/// most `line_limit` bytes.
void coffer_lane_begin_lines(coffer_lane *lane, const uint8_t *bytes, size_t end, size_t line_limit);

/// Begins a sequence: `bytes[0 ..< end]`, values with white space and record separators (U+001E) between them. `bytes[end]` is a
/// line break.
void coffer_lane_begin_sequence(coffer_lane *lane, const uint8_t *bytes, size_t end);

/// Loads the next batch and discards the previous one.
coffer_lane_status coffer_lane_next(coffer_lane *lane);

/// The result of the last call.
const coffer_batch *coffer_lane_batch(const coffer_lane *lane);

#endif
