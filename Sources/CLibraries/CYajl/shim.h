#include <stdlib.h>
#include <string.h>

// yajl.pc names the folder of the headers (include/yajl), but the headers include each other as <yajl/…>: __has_include picks the
// spelling that works with this system's search path.
#if __has_include(<yajl/yajl_parse.h>)
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>
#else
#include "yajl_gen.h"
#include "yajl_parse.h"
#endif

// yajl_gen_config is variadic, so Swift can't call it: one wrapper for each option that the writer sets.
static inline int coffer_yajl_gen_beautify(yajl_gen generator, const char *indent) {
  return yajl_gen_config(generator, yajl_gen_beautify, 1) && yajl_gen_config(generator, yajl_gen_indent_string, indent);
}
static inline int coffer_yajl_gen_escape_solidus(yajl_gen generator) {
  return yajl_gen_config(generator, yajl_gen_escape_solidus, 1);
}

// Collects the output of yajl_gen through a callback. It prints mostly pieces of one or two bytes: quotes, commas, single
// indents. Its own buffer calls memcpy for each of them, which makes pretty-printing a quarter slower. In C because it runs about
// 12 times per member.
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

// Another variadic call. Call it once per generator: yajl_gen frees any previous context as if it were its own buffer.
static inline int coffer_yajl_gen_print_to(yajl_gen generator, struct coffer_yajl_text *text) {
  coffer_yajl_text_grow(text, 1);
  return yajl_gen_config(generator, yajl_gen_print_callback, coffer_yajl_text_append, text);
}

// The counterpart of realloc, in the same C library.
static inline void coffer_yajl_text_free(struct coffer_yajl_text *text) {
  free(text->start);
}
