#include "CByteScan.h"

// A sequence, and where a slice may end: behind a value, its separators, or before the next value.
//
//     RS {"id": 1} \n RS {"id": 2, "tags": [ RS {"id": 3} {"id": 4}
//                 ^  ^                       ^            ^
//                                            the second value isn't whole: it ends at the record separator

enum { RECORD_SEPARATOR = 0x1E };

static void begin_value(coffer_sequence_scan *scan, size_t place) {
  scan->values++;
  scan->in_value = 1;
  scan->start = place;
}

// Ends the current value, if there is one. Returns 0 if it is too long.
static int end_value(coffer_sequence_scan *scan, size_t place) {
  scan->is_long = scan->in_value && scan->size_limit && place - scan->start > scan->size_limit;
  if (scan->is_long) return 0;
  scan->in_value = scan->in_scalar = 0;
  scan->depth = 0;
  return 1;
}

// Returns 1 if a bracket can open a value in the innermost container.
static int may_open(const coffer_sequence_scan *scan) {
  return scan->last == ':' || scan->last == '[' || (scan->last == ',' && !(scan->objects & 1));
}

// Returns 1 if the byte ends a string: a raw line break or record separator can't be in one.
static int take_in_string(coffer_sequence_scan *scan, uint8_t c) {
  int is_escaped = scan->escaped;
  scan->escaped = !is_escaped && c == '\\';
  if ((c != '"' || is_escaped) && c != '\n' && c != RECORD_SEPARATOR) return 0;
  scan->in_string = scan->escaped = 0;
  scan->last = '"';
  return 1;
}

size_t coffer_scan_sequence(coffer_sequence_scan *scan, const uint8_t *bytes, size_t count, size_t *values) {
  size_t cut = 0;
  const size_t base = scan->scanned;
  scan->scanned += count;
  for (size_t i = 0; i < count; i++) {
    const uint8_t c = bytes[i];
    size_t end = i;  // the end of the value that this byte ends
    size_t next;     // where a slice may end: no value is open there
    if (scan->in_string) {
      if (!take_in_string(scan, c)) continue;
      if (c == '"') {
        if (scan->depth > 0) continue;
        end = next = i + 1;
        goto cut;
      }
    }
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (scan->depth > 0) continue;
        next = i + 1;
        break;
      case RECORD_SEPARATOR:
        scan->last = c;
        next = i;
        break;
      case '"':
        scan->last = c;
        scan->in_string = 1;
        if (scan->depth > 0) continue;
        next = i;
        break;
      case '{':
      case '[': {
        int is_inner = scan->depth > 0 && may_open(scan);
        scan->last = c;
        scan->objects = scan->objects << 1 | (c == '{');
        if (is_inner) {
          scan->depth++;
          continue;
        }
        next = i;
        break;
      }
      case '}':
      case ']':
        scan->last = c;
        scan->objects >>= 1;
        if (scan->depth == 0 && !scan->in_value) begin_value(scan, base + i);
        if (scan->depth > 0) scan->depth--;
        if (scan->depth > 0) continue;
        end = next = i + 1;
        break;
      default:
        scan->last = c;
        if (scan->depth == 0 && !scan->in_scalar) {
          if (!scan->in_value) begin_value(scan, base + i);
          scan->in_scalar = 1;
        }
        continue;
    }
  cut:
    if (!end_value(scan, base + end)) return cut;
    cut = next;
    *values = scan->values;
    if (scan->limit && scan->values >= scan->limit) return cut;
    if (c == '"' && scan->in_string) begin_value(scan, base + i);
    if (c == '{' || c == '[') {
      begin_value(scan, base + i);
      scan->depth = 1;
    }
  }
  scan->is_long = scan->in_value && scan->size_limit && base + count - scan->start > scan->size_limit;
  return cut;
}
