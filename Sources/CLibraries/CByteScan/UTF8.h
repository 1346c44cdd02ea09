#ifndef COFFER_UTF8_H
#define COFFER_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Unicode 16, table 3-7: returns the length of the sequence that `lead` begins and the range of its second byte; 0 if `lead` is
// invalid.
static inline size_t utf8_sequence_length(uint8_t lead, uint8_t *low, uint8_t *high) {
  *low = 0x80;
  *high = 0xBF;
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) {
    if (lead == 0xE0) *low = 0xA0;
    if (lead == 0xED) *high = 0x9F;
    return 3;
  }
  if (lead < 0xF5) {
    if (lead == 0xF0) *low = 0x90;
    if (lead == 0xF4) *high = 0x8F;
    return 4;
  }
  return 0;
}

#endif
