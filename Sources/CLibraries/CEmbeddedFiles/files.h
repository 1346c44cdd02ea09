#include <string.h>

#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed

// Returns one of several files, each of which ends with a zero byte.
static inline struct coffer_file file_at(size_t index, const unsigned char *files, size_t size) {
  for (const unsigned char *file = files; file < files + size; index--) {
    size_t length = strlen((const char *)file);
    if (index == 0) return (struct coffer_file){file, length};
    file += length + 1;
  }
  return (struct coffer_file){NULL, 0};
}
