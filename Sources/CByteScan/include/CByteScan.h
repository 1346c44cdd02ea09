#ifndef COFFER_BYTE_SCAN_H
#define COFFER_BYTE_SCAN_H

#include <stddef.h>
#include <stdint.h>

// What yajl does not look at, and what is looked at a byte at a time over whole documents: too hot for bounds-checked Swift.
// Nothing here reads outside [bytes, bytes + count).

/// Whether this processor has what the code for AVX2 needs. 0 on others than x86-64.
int coffer_has_avx2(void);

// MARK: Bytes (Bytes.c)

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

/// Which letters a UUID's digits have.
enum { COFFER_UUID_CAPITALS = 1, COFFER_UUID_SMALL_LETTERS = 2 };

/// Reads 36 bytes as a UUID: 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4). Its sixteen bytes go to `*high` and `*low`, the first one on top.
/// Returns which letters it has, or -1 if it is none.
int coffer_read_uuid(const uint8_t *text, uint64_t *high, uint64_t *low);

// MARK: Lines (Lines.c)

/// The index of the first newline, or `count`.
size_t coffer_find_newline(const uint8_t *bytes, size_t count);

/// The index of the last newline, or `count`.
size_t coffer_find_last_newline(const uint8_t *bytes, size_t count);

/// Whether there is nothing but blanks, tabs and carriage returns.
int coffer_is_blank(const uint8_t *bytes, size_t count);

/// The number of lines that are not blank; `*lines` is that of all. Each ends with a newline, the last one at the end at the latest.
size_t coffer_count_records(const uint8_t *bytes, size_t count, size_t *lines);

// MARK: Structure (StructureScan.c)

/// How structure is scanned. All give the same results; the best one is chosen at run time.
typedef enum { COFFER_SCAN_BEST, COFFER_SCAN_PORTABLE, COFFER_SCAN_AVX2, COFFER_SCAN_NEON } coffer_scan_kernel;

enum {
  /// Containers are watched that stand inside at most two others: those with 1, 2 or 3 brackets open inside them.
  COFFER_SCAN_LEVELS = 3,
  /// The scan takes so many bytes at a time.
  COFFER_SCAN_BLOCK = 64
};

/// A place in the document: its offset from 0, its line and column from 1 (in Unicode scalar values), and how many commas between
/// elements of the container at hand stand before it.
typedef struct {
  uint64_t offset, line, column, commas;
} coffer_scan_mark;

/// A container that is open.
typedef struct {
  coffer_scan_mark inside;  // behind its opening bracket
  coffer_scan_mark latest;  // of an array: behind the last comma between its elements, or behind the bracket
  uint64_t is_array;
} coffer_scan_level;

/// Where a scan of one document stands. Made by coffer_scan_start; its owner may set `watched` and `end` between two calls.
typedef struct {
  uint64_t offset;  // of the next block
  uint64_t depth;   // of open brackets
  /// Something was found that no document may hold (broken UTF-8, vertical white space, a bracket too many) in the block at `offset`
  /// or just before it: the scan stands still there.
  uint64_t is_suspect;
  /// By depth less one, those of the open containers that are watched.
  coffer_scan_level levels[COFFER_SCAN_LEVELS];
  /// The depth inside the container whose end is looked for (0: none), and the place of the bracket that closed it (offset
  /// UINT64_MAX: none yet).
  uint64_t watched;
  coffer_scan_mark end;

  // The scan's own, between two blocks.
  uint64_t in_string, is_escaped;  // all ones inside a string; 1 where the next byte follows a backslash
  uint64_t lines, scalars, line_start;  // newlines and scalar values so far, and those before the current line
  uint32_t utf8_missing;  // continuation bytes still to come, and the range of the next one
  uint8_t utf8_low, utf8_high;
  uint32_t utf8_tail;  // instead of those, with AVX2: the last bytes
  int kernel;
} coffer_scan;

/// Begins a document. `has_byte_order_mark`: its first three bytes are one, which takes no column.
void coffer_scan_start(coffer_scan *scan, coffer_scan_kernel kernel, int has_byte_order_mark);

/// Takes the document's next `count` bytes, a multiple of COFFER_SCAN_BLOCK, unless it is or becomes suspect.
void coffer_scan_blocks(coffer_scan *scan, const uint8_t *bytes, size_t count);

/// Takes the document's last bytes, less than a block.
void coffer_scan_finish(coffer_scan *scan, const uint8_t *bytes, size_t count);

/// Whether this machine has what a kernel needs.
int coffer_scan_supports(coffer_scan_kernel kernel);

#endif
