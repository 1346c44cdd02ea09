#ifndef COFFER_BYTE_SCAN_H
#define COFFER_BYTE_SCAN_H

#include <stddef.h>
#include <stdint.h>

// What yajl does not look at, and what is looked at a byte at a time over whole chunks: too hot for bounds-checked Swift.
// Nothing here reads outside [bytes, bytes + count).

/// The number of leading bytes that are well-formed UTF-8 (Unicode 16, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
/// Less than `count` where a byte is wrong, or where the last sequence is not complete: then `*incomplete` is 1, otherwise 0.
size_t coffer_utf8_prefix(const uint8_t *bytes, size_t count, int *incomplete);

/// The index of the first vertical tab or form feed, or `count`. JSON allows them nowhere (RFC 8259, sections 2 and 7), yajl as white space.
size_t coffer_find_vertical_space(const uint8_t *bytes, size_t count);

/// Moves a line and column (Unicode scalar values, both from 1) over well-formed bytes.
void coffer_advance_position(const uint8_t *bytes, size_t count, uint64_t *line, uint64_t *column);

/// The index of the first `\uXXXX` escape that is a surrogate without its other half, in the inside of a string that yajl has accepted; or `count`.
size_t coffer_find_lone_surrogate(const uint8_t *bytes, size_t count);

/// Looks for the quote that closes a string, from `*position` inside it. Returns 1 with its index in `*position`;
/// or 0 with the index to go on from when more bytes are there, which may lie one past `count` behind a backslash.
int coffer_find_string_end(const uint8_t *bytes, size_t count, size_t *position);

#endif
