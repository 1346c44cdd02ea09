#ifndef COFFER_EMBEDDED_FILES_H
#define COFFER_EMBEDDED_FILES_H

#include <stddef.h>

// Files of this repository that the libraries carry in their code.
//
// SwiftPM's own `.embedInCode` writes each byte as an element of a Swift array literal: type-checking those took 50 CPU seconds of every first build.

struct coffer_file {
  const unsigned char *bytes;
  size_t size;
};

// Returns the file with this name, or one without bytes if there is none.
struct coffer_file coffer_meta_schema(const char *name);

// Each returns the file with this index, or one without bytes past the last one.
struct coffer_file coffer_format(size_t index);
struct coffer_file coffer_keyword_page(size_t index);

// The style sheet of the pages among reports.
struct coffer_file coffer_page_style(void);

#endif
