#include <stdlib.h>
#include <string.h>

// yajl.pc names the folder that holds the headers (include/yajl), while the headers name each other as
// <yajl/…>: __has_include takes whichever of the two spellings this system's search path has.
#if __has_include(<yajl/yajl_parse.h>)
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>
#else
#include "yajl_gen.h"
#include "yajl_parse.h"
#endif

// yajl_gen_config is variadic, so Swift can't call it: one line for each option that the writer sets.
static inline int coffer_yajl_gen_beautify(yajl_gen generator, const char *indent) {
  return yajl_gen_config(generator, yajl_gen_beautify, 1) && yajl_gen_config(generator, yajl_gen_indent_string, indent);
}
static inline int coffer_yajl_gen_escape_solidus(yajl_gen generator) {
  return yajl_gen_config(generator, yajl_gen_escape_solidus, 1);
}

// What yajl_gen prints, gathered by a callback, for it prints in pieces of mostly one or two bytes: quotes, commas, one indent at a
// time. Its own buffer calls memcpy for each, and pretty text then takes a quarter longer. C, for it runs a dozen times a member.
struct coffer_yajl_text {
  char *start, *end, *limit;
};

static inline void coffer_yajl_text_grow(struct coffer_yajl_text *text, size_t length) {
  size_t count = text->start ? (size_t)(text->end - text->start) : 0;
  size_t capacity = text->start ? (size_t)(text->limit - text->start) : 128 << 10;
  while (capacity - count < length) capacity *= 2;
  char *start = (char *)realloc(text->start, capacity);
  if (!start) abort();
  text->start = start;
  text->end = start + count;
  text->limit = start + capacity;
}

static inline void coffer_yajl_text_append(void *context, const char *piece, size_t length) {
  struct coffer_yajl_text *text = (struct coffer_yajl_text *)context;
  if ((size_t)(text->limit - text->end) < length) coffer_yajl_text_grow(text, length);
  char *end = text->end;
  text->end = end + length;
  if (length > 2) {
    memcpy(end, piece, length);
  } else if (length > 0) {
    end[0] = piece[0];
    end[length - 1] = piece[length - 1];
  }
}

// Variadic again. Once a generator: yajl_gen frees whatever context it had before as if it were a buffer of its own.
static inline int coffer_yajl_gen_print_to(yajl_gen generator, struct coffer_yajl_text *text) {
  coffer_yajl_text_grow(text, 1);
  return yajl_gen_config(generator, yajl_gen_print_callback, coffer_yajl_text_append, text);
}

// realloc's partner, whichever C library it is from.
static inline void coffer_yajl_text_free(struct coffer_yajl_text *text) {
  free(text->start);
}
