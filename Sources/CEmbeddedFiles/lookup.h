#include <string.h>

#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed

static inline struct coffer_file find(const struct coffer_file *files, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(files[i].name, name) == 0) return files[i];
  }
  return (struct coffer_file){name, NULL, 0};
}

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}
