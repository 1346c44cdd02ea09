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

size_t coffer_scan_sequence(coffer_sequence_scan *scan, const uint8_t *bytes, size_t count, size_t *values) {
  coffer_sequence_scan s = *scan;
  size_t cut = 0;
// The current value ends, if there is one.
#define END(place)                                                                       \
  do {                                                                                   \
    s.is_long = s.in_value && s.size_limit && s.scanned + (place) - s.start > s.size_limit; \
    if (s.is_long) goto done;                                                            \
    s.in_value = s.in_scalar = 0;                                                        \
  } while (0)
// No value is open.
#define CUT(place)                                    \
  do {                                                \
    cut = (place);                                    \
    *values = s.values;                               \
    if (s.limit && s.values >= s.limit) goto done;    \
  } while (0)
#define BEGIN(place)               \
  do {                             \
    s.values++;                    \
    s.in_value = 1;                \
    s.start = s.scanned + (place); \
  } while (0)

  for (size_t i = 0; i < count; i++) {
    uint8_t c = bytes[i];
    if (s.in_string) {
      int is_escaped = s.escaped;
      s.escaped = !is_escaped && c == '\\';
      int is_end = c == '"' && !is_escaped;
      if (!is_end && c != '\n' && c != 0x1E) continue;
      s.in_string = s.escaped = 0;
      s.last = '"';
      if (is_end) {
        if (s.depth == 0) {
          END(i + 1);
          CUT(i + 1);
        }
        continue;
      }
    }
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (s.depth == 0) {
          END(i);
          CUT(i + 1);
        }
        continue;
      case 0x1E:
        s.depth = 0;
        END(i);
        CUT(i);
        break;
      case '"':
      case '{':
      case '[':
        // A value that isn't the first of its container follows a comma or a colon.
        if (c != '"' && s.depth > 0 && s.last != ',' && s.last != ':' && s.last != '[') s.depth = 0;
        if (s.depth == 0) {
          END(i);
          CUT(i);
          BEGIN(i);
        }
        if (c == '"') s.in_string = 1;
        else s.depth++;
        break;
      case '}':
      case ']':
        if (s.depth == 0 && !s.in_value) BEGIN(i);
        if (s.depth > 0) s.depth--;
        if (s.depth == 0) {
          END(i + 1);
          CUT(i + 1);
        }
        break;
      default:
        if (s.depth == 0 && !s.in_scalar) {
          BEGIN(i);
          s.in_scalar = 1;
        }
    }
    s.last = c;
  }
  s.is_long = s.in_value && s.size_limit && s.scanned + count - s.start > s.size_limit;
#undef END
#undef CUT
#undef BEGIN
done:
  s.scanned += count;
  *scan = s;
  return cut;
}
