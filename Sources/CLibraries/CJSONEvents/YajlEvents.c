#include "CJSONEvents.h"

#include <stdlib.h>
#include <string.h>

#include "CByteScan.h"
#include "KeySets.h"
#if __has_include(<yajl/yajl_parse.h>)
#include <yajl/yajl_parse.h>
#else
#include "yajl_parse.h"
#endif

struct coffer_parser {
  coffer_batch batch;
  yajl_handle yajl;
  const uint8_t *buffer;
  size_t from, to;  // the range being fed
  coffer_event *next, *limit;  // the next event and the end of the memory for events: there is always room for the next one
  uint8_t *scratch;
  size_t scratch_used, scratch_capacity;
  size_t token_limit;
  uint32_t depth_limit;
  int finishing;
  coffer_status failure;
  uint8_t *is_object;  // for each open bracket
  coffer_key_sets keys;
};

// Nearly every event takes the fast path through a callback. The slow paths are separate functions that are not inlined and are
// called last: otherwise the compiler saves registers for them at each event (14 of about 40 instructions).
#define SLOW_WAY __attribute__((noinline))

// Returning 0 from a callback ends yajl's parse permanently.
SLOW_WAY static int fail(coffer_parser *parser, coffer_status status, size_t error) {
  parser->failure = status;
  parser->batch.error = error;
  return 0;
}

// The end of the token that yajl is reporting. yajl_complete_parse feeds an extra space, so its count is meaningless.
static inline size_t token_end(const coffer_parser *parser) {
  return parser->finishing ? parser->to : parser->from + yajl_get_bytes_consumed(parser->yajl);
}

// The start of the token after the last one: only white space, a comma or a colon can precede it.
static size_t token_start(const coffer_parser *parser) {
  size_t i = parser->batch.last_end;
  while (i < parser->to) {
    switch (parser->buffer[i]) {
      case ' ': case '\t': case '\n': case '\r': case ',': case ':': i++; break;
      default: return i;
    }
  }
  return i;
}

// Makes room for more events after the last one has been filled.
SLOW_WAY static int grow(coffer_parser *parser) {
  size_t count = (size_t)(parser->next - parser->batch.events), capacity = count * 2;
  coffer_event *events = realloc(parser->batch.events, capacity * sizeof *events);
  if (!events) return fail(parser, COFFER_MEMORY, parser->batch.last_end);
  parser->batch.events = events;
  parser->next = events + count;
  parser->limit = events + capacity;
  return 1;
}

static inline int append(coffer_parser *parser, uint8_t kind, size_t start, size_t text, size_t length, uint8_t flags, size_t end) {
  *parser->next++ = (coffer_event){
      .start = (uint32_t)start, .text = (uint32_t)text, .length = (uint32_t)length, .kind = kind, .flags = flags};
  parser->batch.last_end = end;
  return __builtin_expect(parser->next == parser->limit, 0) ? grow(parser) : 1;
}

static inline int is_in_buffer(const coffer_parser *parser, const void *pointer) {
  // Compare them as integers: pointers into different objects have no order in C.
  return (uintptr_t)pointer - (uintptr_t)parser->buffer < parser->to;
}

// Returns the flags of a key, or -1 if out of memory. At least 16 bytes of `text` must be readable.
static int key_flags(coffer_parser *parser, const uint8_t *text, size_t length) {
  if (!parser->keys.level) return 0;
  switch (coffer_key_sets_take(&parser->keys, parser->batch.depth, text, length)) {
    case COFFER_KEY_NEW: return 0;
    case COFFER_KEY_AGAIN: parser->batch.duplicate_keys++; return COFFER_DUPLICATE_KEY;
    default: return -1;
  }
}

// A string that has escapes or spans chunks: yajl passes its own copy, which the next token overwrites.
SLOW_WAY static int append_copied_text(coffer_parser *parser, uint8_t kind, const uint8_t *text, size_t length) {
  size_t start = token_start(parser), end = token_end(parser);
  size_t inside = start + 1, raw_length = end - inside - 1;
  if (raw_length > parser->token_limit) return fail(parser, COFFER_TOKEN, start);
  // A resolved escape is always shorter than the escape: equal lengths mean that the buffer holds the same text.
  if (raw_length == length) {
    int flags = kind == COFFER_KEY ? key_flags(parser, parser->buffer + inside, length) : 0;
    if (flags < 0) return fail(parser, COFFER_MEMORY, start);
    return append(parser, kind, start, inside, length, (uint8_t)flags, end);
  }
  size_t lone = coffer_find_lone_surrogate(parser->buffer + inside, raw_length);
  if (lone < raw_length) return fail(parser, COFFER_LONE_SURROGATE, inside + lone);
  if (parser->scratch_capacity - parser->scratch_used < length) {
    size_t capacity = parser->scratch_capacity ? parser->scratch_capacity : 4096;
    while (capacity - parser->scratch_used < length) capacity *= 2;
    // 16 bytes more than are used, because readers may load whole words from a text's start.
    uint8_t *scratch = realloc(parser->scratch, capacity + 16);
    if (!scratch) return fail(parser, COFFER_MEMORY, start);
    memset(scratch + capacity, 0, 16);
    parser->scratch = scratch;
    parser->batch.scratch = scratch;
    parser->scratch_capacity = capacity;
  }
  size_t at = parser->scratch_used;
  // Before an empty text, there may be no memory yet.
  if (length) memcpy(parser->scratch + at, text, length);
  parser->scratch_used += length;
  int flags = kind == COFFER_KEY ? key_flags(parser, parser->scratch + at, length) : 0;
  if (flags < 0) return fail(parser, COFFER_MEMORY, start);
  return append(parser, kind, start, at, length, COFFER_IN_SCRATCH | (uint8_t)flags, end);
}

static inline int append_text(coffer_parser *parser, uint8_t kind, const uint8_t *text, size_t length, uint8_t flags) {
  size_t at = (size_t)(text - parser->buffer);
  if (length > parser->token_limit) return fail(parser, COFFER_TOKEN, at - 1);
  return append(parser, kind, at - 1, at, length, flags, at + length + 1);
}

static int on_string(void *context, const unsigned char *text, size_t length) {
  coffer_parser *parser = context;
  if (__builtin_expect(!is_in_buffer(parser, text), 0)) return append_copied_text(parser, COFFER_STRING, text, length);
  return append_text(parser, COFFER_STRING, text, length, 0);
}

// A key that did not follow here the last time, or is a duplicate in its object.
SLOW_WAY static int append_unforeseen_key(coffer_parser *parser, const uint8_t *text, size_t length) {
  int flags = length > parser->token_limit ? 0 : key_flags(parser, text, length);
  if (flags < 0) return fail(parser, COFFER_MEMORY, (size_t)(text - parser->buffer));
  return append_text(parser, COFFER_KEY, text, length, (uint8_t)flags);
}

static int on_key(void *context, const unsigned char *text, size_t length) {
  coffer_parser *parser = context;
  if (__builtin_expect(!is_in_buffer(parser, text), 0)) return append_copied_text(parser, COFFER_KEY, text, length);
  if (parser->keys.level && !coffer_key_sets_take_foreseen(&parser->keys, text, length)) {
    return append_unforeseen_key(parser, text, length);
  }
  return append_text(parser, COFFER_KEY, text, length, 0);
}

static int on_number(void *context, const char *text, size_t length) {
  coffer_parser *parser = context;
  size_t start = is_in_buffer(parser, text) ? (size_t)((const uint8_t *)text - parser->buffer) : token_start(parser);
  if (length > parser->token_limit) return fail(parser, COFFER_TOKEN, start);
  return append(parser, COFFER_NUMBER, start, start, length, 0, start + length);
}

static int append_literal(coffer_parser *parser, uint8_t kind, size_t length) {
  size_t end = token_end(parser);
  return append(parser, kind, end - length, end - length, length, 0, end);
}

static int on_null(void *context) { return append_literal(context, COFFER_NULL, 4); }

static int on_boolean(void *context, int value) {
  return append_literal(context, value ? COFFER_TRUE : COFFER_FALSE, value ? 4 : 5);
}

static inline int open_bracket(coffer_parser *parser, uint8_t kind, int is_object) {
  size_t end = token_end(parser);
  uint32_t depth = parser->batch.depth;
  if (depth >= parser->depth_limit) return fail(parser, COFFER_DEPTH, end - 1);
  parser->is_object[depth] = (uint8_t)is_object;
  parser->batch.depth = depth + 1;
  if (is_object && parser->keys.level && !coffer_key_sets_open(&parser->keys)) return fail(parser, COFFER_MEMORY, end - 1);
  return append(parser, kind, end - 1, end - 1, 1, 0, end);
}

static inline int close_bracket(coffer_parser *parser, uint8_t kind, int is_object) {
  size_t end = token_end(parser);
  parser->batch.depth--;
  if (is_object && parser->keys.level) coffer_key_sets_close(&parser->keys);
  return append(parser, kind, end - 1, end - 1, 1, 0, end);
}

static int on_object_start(void *context) { return open_bracket(context, COFFER_OBJECT_START, 1); }
static int on_object_end(void *context) { return close_bracket(context, COFFER_OBJECT_END, 1); }
static int on_array_start(void *context) { return open_bracket(context, COFFER_ARRAY_START, 0); }
static int on_array_end(void *context) { return close_bracket(context, COFFER_ARRAY_END, 0); }

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    // With this callback, every number arrives as text, and yajl's own conversions, which lose digits, are not used.
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object_start,
    .yajl_map_key = on_key,
    .yajl_end_map = on_object_end,
    .yajl_start_array = on_array_start,
    .yajl_end_array = on_array_end,
};

coffer_parser *coffer_parser_create(uint32_t depth_limit, size_t token_limit) {
  enum { EVENTS = 4096 };
  coffer_parser *parser = calloc(1, sizeof *parser);
  if (!parser) return NULL;
  parser->depth_limit = depth_limit;
  parser->token_limit = token_limit;
  parser->batch.last_kind = -1;
  parser->is_object = malloc((size_t)depth_limit + 1);
  parser->next = parser->batch.events = malloc(EVENTS * sizeof(coffer_event));
  parser->yajl = yajl_alloc(&callbacks, NULL, parser);
  if (!parser->yajl || !parser->is_object || !parser->next) {
    coffer_parser_destroy(parser);
    return NULL;
  }
  parser->limit = parser->next + EVENTS;
  // The reader validates UTF-8 more strictly than yajl, and itself checks the bytes after the root value.
  yajl_config(parser->yajl, yajl_dont_validate_strings, 1);
  yajl_config(parser->yajl, yajl_allow_trailing_garbage, 1);
  return parser;
}

int coffer_parser_compare_keys(coffer_parser *parser, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth) {
  return coffer_key_sets_start(&parser->keys, seed_low, seed_high, outer_depth);
}

void coffer_parser_destroy(coffer_parser *parser) {
  if (!parser) return;
  if (parser->yajl) yajl_free(parser->yajl);
  free(parser->batch.events);
  free(parser->scratch);
  free(parser->is_object);
  coffer_key_sets_free(&parser->keys);
  free(parser);
}

// Sets the properties that follow from the events, so that they need not be updated with each event.
static void describe_events(coffer_parser *parser) {
  coffer_batch *batch = &parser->batch;
  batch->count = (size_t)(parser->next - batch->events);
  if (batch->count > 0) batch->last_kind = (int8_t)parser->next[-1].kind;
  batch->root_done = batch->depth == 0 && batch->last_kind >= 0;
}

const coffer_batch *coffer_parser_batch(const coffer_parser *parser) { return &parser->batch; }

void coffer_parser_clear(coffer_parser *parser) {
  parser->next = parser->batch.events;
  parser->batch.count = 0;
  parser->batch.duplicate_keys = 0;
  parser->scratch_used = 0;
}

static coffer_status status_of(coffer_parser *parser, yajl_status status) {
  describe_events(parser);
  if (parser->failure != COFFER_OK) return parser->failure;
  return status == yajl_status_ok ? COFFER_OK : COFFER_SYNTAX;
}

coffer_status coffer_parser_prime(coffer_parser *parser, const char *text) {
  parser->batch.last_end = 0;
  // The text's keys are none of the document.
  coffer_key_level *level = parser->keys.level;
  parser->keys.level = NULL;
  coffer_status status = coffer_parser_feed(parser, (const uint8_t *)text, 0, strlen(text));
  parser->keys.level = level;
  coffer_parser_clear(parser);
  parser->batch.last_end = 0;
  return status;
}

coffer_status coffer_parser_feed(coffer_parser *parser, const uint8_t *buffer, size_t from, size_t to) {
  parser->buffer = buffer;
  parser->from = from;
  parser->to = to;
  return status_of(parser, yajl_parse(parser->yajl, buffer + from, to - from));
}

coffer_status coffer_parser_finish(coffer_parser *parser, const uint8_t *buffer, size_t to) {
  parser->buffer = buffer;
  parser->from = to;
  parser->to = to;
  parser->finishing = 1;
  size_t known = parser->batch.count;
  coffer_status status = status_of(parser, yajl_complete_parse(parser->yajl));
  // Inside a bracket, a number ended by yajl's blank is an incomplete one, not a value.
  if (parser->batch.depth > 0 && parser->batch.count > known) {
    parser->next = parser->batch.events + known;
    parser->batch.count = known;
  }
  return status;
}

void coffer_parser_slide(coffer_parser *parser, size_t count) {
  parser->batch.last_end = parser->batch.last_end > count ? parser->batch.last_end - count : 0;
}

int coffer_parser_in_object(const coffer_parser *parser) {
  return parser->batch.depth > 0 && parser->is_object[parser->batch.depth - 1];
}

int coffer_parser_take_names(coffer_parser *parser, const uint8_t *names, size_t size) {
  if (!parser->keys.level || !coffer_parser_in_object(parser)) return 0;
  uint32_t length;
  for (size_t at = 0; at < size; at += sizeof length + length) {
    memcpy(&length, names + at, sizeof length);
    if (coffer_key_sets_has(&parser->keys, names + at + sizeof length, length)) return 0;
  }
  for (size_t at = 0; at < size; at += sizeof length + length) {
    memcpy(&length, names + at, sizeof length);
    if (coffer_key_sets_take(&parser->keys, parser->batch.depth, names + at + sizeof length, length) == COFFER_KEY_FAILED) return -1;
  }
  return 1;
}
