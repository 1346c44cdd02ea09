#ifndef COFFER_JSON_EVENTS_H
#define COFFER_JSON_EVENTS_H

#include <stddef.h>
#include <stdint.h>

// Two readers append flat records to a batch, so that Swift is entered once a chunk instead of once a token: yajl's callbacks, which read any
// document and say what is wrong with it, and the lane, which reads runs of records, several times as fast.

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
  /// `text` counts from the scratch memory, not from the buffer: the string had escapes, and this is what they stand for.
  COFFER_IN_SCRATCH = 1,
  /// The key has come in its object before, and keys are compared.
  COFFER_DUPLICATE_KEY = 2
};

/// 16 bytes, so four of them share a cache line. Offsets count from the start of the buffer that was fed.
typedef struct {
  uint32_t start;   // where the token begins, its quote included
  uint32_t text;    // where a string's or key's content, or a number's digits, begin
  uint32_t length;  // of that text, in bytes
  uint8_t kind;
  uint8_t flags;
  uint16_t reserved;
} coffer_event;

typedef enum {
  COFFER_OK,
  COFFER_SYNTAX,          // yajl refused the bytes behind `last_end`
  COFFER_DEPTH,           // more brackets were open than allowed, at `error`
  COFFER_TOKEN,           // a string or number is longer than allowed, at `error`
  COFFER_LONE_SURROGATE,  // an escape that stands for half a character, at `error`
  COFFER_MEMORY,          // malloc failed
} coffer_status;

typedef struct {
  coffer_event *events;
  size_t count;
  const uint8_t *scratch;
  size_t last_end;    // just past the last token that became an event (brackets, keys, values), from the buffer's start
  size_t error;       // from the buffer's start
  uint32_t depth;     // of open brackets
  int8_t last_kind;   // of the last event; -1 before the first
  uint8_t root_done;  // the one value is complete
  size_t duplicate_keys;  // how many events have that flag
} coffer_batch;

// MARK: yajl (YajlEvents.c, the only code that calls yajl's parser)

typedef struct coffer_parser coffer_parser;

/// NULL where memory fails. `depth_limit` is the number of brackets that may be open at once.
coffer_parser *coffer_parser_create(uint32_t depth_limit, size_t token_limit);

/// Compares, from now on and before anything is fed, each key with those before it in its object: bytes, escapes resolved. 0 where memory
/// fails.
///
/// A key is compared with the first 1 048 576 different ones of an object that stands in fewer than 8 other brackets, and with the first
/// 4096 of others. Of keys longer than 16 bytes, and of those of an object that has more than 64, hashes of 64 bits or more are compared;
/// `seed_low` and `seed_high`, which nobody must be able to foretell, keep them from being made to collide.
/// `outer_depth` brackets are open around what is fed: the same object has the same limit wherever it is read.
int coffer_parser_compare_keys(coffer_parser *parser, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

void coffer_parser_destroy(coffer_parser *parser);

/// What the last feed gave; valid until the next call.
const coffer_batch *coffer_parser_batch(const coffer_parser *parser);

/// Empties the batch.
void coffer_parser_clear(coffer_parser *parser);

/// Feeds `text`, which stands for what is not read here (an opening bracket, items that were left out), without events.
/// Nothing of a buffer may be unfinished; the next feed begins at index 0 of another one.
coffer_status coffer_parser_prime(coffer_parser *parser, const char *text);

/// Feeds `buffer[from ..< to]`. `buffer[last_end ..< from]` must still be what was fed before, at most 4 GiB in all.
coffer_status coffer_parser_feed(coffer_parser *parser, const uint8_t *buffer, size_t from, size_t to);

/// Says that the input ended at `to`: a number at the root ends only so. Anything unfinished shows in `root_done`; a number inside a bracket,
/// which may have been cut, is known by `last_kind` and `last_end`, but is no event.
coffer_status coffer_parser_finish(coffer_parser *parser, const uint8_t *buffer, size_t to);

/// Says that the buffer's first `count` bytes, at most `last_end` and the white space behind it, were dropped.
void coffer_parser_slide(coffer_parser *parser, size_t count);

/// Whether the innermost open bracket is an object's; 0 at depth 0.
int coffer_parser_in_object(const coffer_parser *parser);

// MARK: The lane (Lane.c)

/// Reads a run of values (`v , v , … v ]`), or lines of one value each, which are UTF-8, and gives the same events as yajl's callbacks.
///
/// It accepts exactly what they accept. For anything else it returns COFFER_LANE_FAILED without a cause, and the caller parses the run again with yajl to
/// get the error. Records have the same keys in the same order, so the lane compares the bytes between two values (`,\n      "name": `) with those of the
/// previous record, and parses them only if they differ.
typedef struct coffer_lane coffer_lane;

/// How bytes are compared. All give the same events; the best one is chosen at run time.
typedef enum { COFFER_LANE_BEST, COFFER_LANE_PORTABLE, COFFER_LANE_SSE2, COFFER_LANE_AVX2, COFFER_LANE_NEON } coffer_lane_kernel;

typedef enum { COFFER_LANE_MORE, COFFER_LANE_DONE, COFFER_LANE_FAILED } coffer_lane_status;

enum {
  /// So many bytes behind the run's end can be read, whatever they hold.
  COFFER_LANE_PADDING = 128,
  /// Tokens that are longer than allowed are refused, but only from this length on.
  COFFER_LANE_TOKEN_LIMIT = 64
};

/// Whether this machine has what a kernel needs.
int coffer_lane_supports(coffer_lane_kernel kernel);

/// NULL where memory fails. `depth_limit` is the number of brackets that may be open at once, that around the run included; `token_limit` is
/// COFFER_LANE_TOKEN_LIMIT or more.
coffer_lane *coffer_lane_create(coffer_lane_kernel kernel, uint32_t depth_limit, size_t token_limit);

/// The same as coffer_parser_compare_keys.
void coffer_lane_compare_keys(coffer_lane *lane, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

void coffer_lane_destroy(coffer_lane *lane);

/// Begins a run: `bytes[0 ..< end]`, `bytes[end]` being the bracket that ends it. At most 4 GiB.
void coffer_lane_begin_run(coffer_lane *lane, const uint8_t *bytes, size_t end);

/// Begins lines: `bytes[0 ..< end]`, `bytes[end]` being the line break that ends the last of them. A line without its break has at most
/// `line_limit` bytes.
void coffer_lane_begin_lines(coffer_lane *lane, const uint8_t *bytes, size_t end, size_t line_limit);

/// Loads the next batch; the one before is gone.
coffer_lane_status coffer_lane_next(coffer_lane *lane);

/// What the last call gave.
const coffer_batch *coffer_lane_batch(const coffer_lane *lane);

#endif
