#ifndef COFFER_EMBEDDED_FILES_H
#define COFFER_EMBEDDED_FILES_H

#include <stddef.h>

// Files of this repository that the libraries carry in their code.
//
// SwiftPM's own `.embedInCode` writes each byte as an element of a Swift array literal: type-checking those took 50 CPU seconds of every first build.

struct coffer_file {
  const char *name;
  const unsigned char *bytes;
  size_t size;
};

// Each returns the file with this name, or one without bytes if there is none.
struct coffer_file coffer_meta_schema(const char *name);
struct coffer_file coffer_format(const char *name);
struct coffer_file coffer_keyword_page(const char *name);

// The name of a format by its index; NULL past the last one.
const char *coffer_format_name(size_t index);

#endif
