#include "CByteScan.h"

#include <string.h>

size_t coffer_find_newline(const uint8_t *bytes, size_t count) {
  const uint8_t *newline = memchr(bytes, '\n', count);
  return newline ? (size_t)(newline - bytes) : count;
}

size_t coffer_find_last_newline(const uint8_t *bytes, size_t count) {
  // Doesn't use memrchr, a GNU extension: the last newline is rarely more than a line away.
  size_t i = count;
  while (i > 0) {
    if (bytes[--i] == '\n') return i;
  }
  return count;
}

int coffer_is_blank(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r') return 0;
  }
  return 1;
}

size_t coffer_count_records(const uint8_t *bytes, size_t count, size_t *lines) {
  size_t records = 0;
  *lines = 0;
  for (size_t i = 0; i < count;) {
    size_t length = coffer_find_newline(bytes + i, count - i);
    if (!coffer_is_blank(bytes + i, length)) records++;
    *lines += 1;
    i += length + 1;
  }
  return records;
}
