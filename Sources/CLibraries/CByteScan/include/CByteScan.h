#ifndef COFFER_BYTE_SCAN_H
#define COFFER_BYTE_SCAN_H

#include <stddef.h>
#include <stdint.h>

// Checks that yajl lacks, and loops that visit every byte of a document: too hot for bounds-checked Swift. No function reads
// outside [bytes, bytes + count).

/// Returns 1 if the processor supports the AVX2 code; 0 on anything but x86-64.
int coffer_has_avx2(void);

// MARK: Bytes (Bytes.c)

/// Returns the number of leading bytes that are well-formed UTF-8 (Unicode 16, table 3-7: no overlong forms, no surrogates,
/// nothing above U+10FFFF). This is less than `count` if a byte is invalid or the last sequence is incomplete. `*incomplete` is 1
/// if the last sequence is incomplete, otherwise 0.
size_t coffer_utf8_prefix(const uint8_t *bytes, size_t count, int *incomplete);

/// Returns the index of the first vertical tab or form feed, or `count`. JSON never allows them (RFC 8259, sections 2 and 7), but
/// yajl accepts them as white space.
size_t coffer_find_vertical_space(const uint8_t *bytes, size_t count);

/// Advances a line and column (Unicode scalar values, both from 1) over well-formed bytes.
void coffer_advance_position(const uint8_t *bytes, size_t count, uint64_t *line, uint64_t *column);

/// Returns the index of the first `\uXXXX` escape that is an unpaired surrogate, in the content of a string that yajl has
/// accepted; or `count`.
size_t coffer_find_lone_surrogate(const uint8_t *bytes, size_t count);

/// Finds the quote that closes a string, starting at `*position` inside it. Returns 1 and its index in `*position`, or 0 and the
/// index at which to resume when more bytes are available; after a backslash, this may be `count` + 1.
int coffer_find_string_end(const uint8_t *bytes, size_t count, size_t *position);

/// The case of a UUID's letters.
enum { COFFER_UUID_CAPITALS = 1, COFFER_UUID_SMALL_LETTERS = 2 };

/// Reads 36 bytes as a UUID: 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4). Stores its sixteen bytes in `*high` and `*low`,
/// the first one most significant. Returns the case of its letters, or -1 if it is invalid.
int coffer_read_uuid(const uint8_t *text, uint64_t *high, uint64_t *low);

// MARK: Lines (Lines.c)

/// Returns the index of the first newline, or `count`.
size_t coffer_find_newline(const uint8_t *bytes, size_t count);

/// Returns the index of the last newline, or `count`.
size_t coffer_find_last_newline(const uint8_t *bytes, size_t count);

/// Returns 1 if all bytes are blanks, tabs or carriage returns.
int coffer_is_blank(const uint8_t *bytes, size_t count);

/// Returns the number of lines that are not blank; `*lines` is the number of all lines. Each line ends with a newline or at the
/// end of the bytes.
size_t coffer_count_records(const uint8_t *bytes, size_t count, size_t *lines);

// MARK: Sequences (Sequence.c)

/// A scan of a sequence: values with white space and record separators (U+001E) between them.
typedef struct {
  size_t limit;       // the number of whole values at which the scan ends, or 0
  size_t size_limit;  // the number of bytes of a value, or 0
  size_t scanned;     // the number of bytes so far
  size_t values;      // that have begun
  size_t start;       // the index of the current value's first byte
  size_t depth;
  uint64_t objects;   // a bit for each of the innermost open containers, the last one lowest: 1 if it is an object
  uint8_t in_value, in_string, escaped, in_scalar;
  uint8_t is_long;    // a value exceeds `size_limit`: it begins at `start`
  uint8_t last;       // the last byte that is neither white space nor part of a string
} coffer_sequence_scan;

/// Scans the next bytes, and returns the end of the last place where no value is open, or 0; `*values` is the number of values
/// that have begun before it. A value that isn't whole ends at a record separator, at a bracket that can't open a value in it, and a
/// string at a line break.
size_t coffer_scan_sequence(coffer_sequence_scan *scan, const uint8_t *bytes, size_t count, size_t *values);

// MARK: Structure (StructureScan.c)

/// The instruction sets for the scan. All give the same results; the best one is chosen at run time.
typedef enum { COFFER_SCAN_BEST, COFFER_SCAN_PORTABLE, COFFER_SCAN_AVX2, COFFER_SCAN_NEON } coffer_scan_kernel;

enum {
  /// The number of nesting levels watched: containers with 1, 2 or 3 open brackets, counting their own.
  COFFER_SCAN_LEVELS = 3,
  /// The number of bytes per step.
  COFFER_SCAN_BLOCK = 64
};

/// A position in the document: its offset from 0, its line and column from 1 (in Unicode scalar values), and the number of
/// preceding commas between elements of the current container.
typedef struct {
  uint64_t offset, line, column, commas;
} coffer_scan_mark;

/// An open container.
typedef struct {
  coffer_scan_mark inside;  // after its opening bracket
  coffer_scan_mark latest;  // for an array: after the last comma between its elements, or after the bracket
  uint64_t is_array;
} coffer_scan_level;

/// The state of a scan of one document. Initialised by coffer_scan_start; the caller may set `watched` and `end` between two
/// calls.
typedef struct {
  uint64_t offset;  // of the next block
  uint64_t depth;   // of open brackets
  /// The block at `offset`, or the end of the previous one, contains something that is invalid in any document (malformed UTF-8,
  /// vertical white space, an extra bracket): the scan stops there.
  uint64_t is_suspect;
  /// The watched open containers, by depth minus one.
  coffer_scan_level levels[COFFER_SCAN_LEVELS];
  /// The depth inside the container whose end is sought, or 0. `end` is the position of the bracket that closed it; its offset is
  /// UINT64_MAX until then.
  uint64_t watched;
  coffer_scan_mark end;

  // Internal state between two blocks.
  uint64_t in_string, is_escaped;  // all ones inside a string; 1 if the next byte follows a backslash
  uint64_t lines, scalars, line_start;  // newlines and scalar values so far, and scalar values before the current line
  uint32_t utf8_missing;  // the number of continuation bytes expected, and the range of the next one
  uint8_t utf8_low, utf8_high;
  uint32_t utf8_tail;  // used instead with AVX2: the last bytes
  int kernel;
} coffer_scan;

/// Begins a document. `has_byte_order_mark`: the document begins with a byte order mark of three bytes, which takes no column.
void coffer_scan_start(coffer_scan *scan, coffer_scan_kernel kernel, int has_byte_order_mark);

/// Scans the document's next `count` bytes, a multiple of COFFER_SCAN_BLOCK, until it is suspect.
void coffer_scan_blocks(coffer_scan *scan, const uint8_t *bytes, size_t count);

/// Scans the document's last bytes, less than a block.
void coffer_scan_finish(coffer_scan *scan, const uint8_t *bytes, size_t count);

/// Returns 1 if this machine supports the kernel.
int coffer_scan_supports(coffer_scan_kernel kernel);

/// Returns the kernel, or for COFFER_SCAN_BEST the best one that this machine supports.
coffer_scan_kernel coffer_scan_choice(coffer_scan_kernel kernel);

// MARK: Ranges (RangeScan.c)

enum {
  /// The number of levels of a range for which places are kept: of the outermost ones that it reaches by closing brackets, and of
  /// the outermost ones of those that it opens.
  COFFER_RANGE_LEVELS = 4
};

/// A place in a range, as what lies before it: bytes, newlines, and scalar values since the last newline or the range's start.
typedef struct {
  uint64_t bytes, newlines, scalars;
} coffer_range_place;

/// The commas of one level: their number, and the places after the first one and the last one, if there are any.
typedef struct {
  uint64_t count;
  coffer_range_place first, last;
} coffer_range_commas;

/// A level that encloses the range's start.
typedef struct {
  coffer_range_place closer;  // the bracket before it, which closed the level above; none for level 0
  coffer_range_commas commas;
} coffer_range_floor;

/// A container that is open at the range's end and was opened in it.
typedef struct {
  coffer_range_place inside;  // after its opening bracket
  coffer_range_commas commas;
  uint64_t is_array;
} coffer_range_level;

/// What a range contains if it begins outside a string, or inside one.
typedef struct {
  /// 1 if a byte proves that the range does not begin like this, or that the document is malformed: then nothing else is valid.
  uint64_t is_dead;
  /// The numbers of brackets without a counterpart in the range: closing ones, and after them opening ones.
  uint64_t closers, openers;
  /// The level after k closers is floors[k % COFFER_RANGE_LEVELS]: the last ones are kept.
  coffer_range_floor floors[COFFER_RANGE_LEVELS];
  /// The containers of the first openers.
  coffer_range_level levels[COFFER_RANGE_LEVELS];
} coffer_range_side;

/// The state of a scan of a range of a document. Initialised by coffer_range_start.
typedef struct {
  coffer_range_place end;  // of the bytes scanned
  coffer_range_side outside, inside;
  /// All ones if the scanned bytes end inside a string, provided that they began outside; the opposite if they began inside.
  uint64_t in_string;

  // Internal state between two blocks.
  uint64_t is_escaped;  // 1 if the next byte follows a backslash
  int kernel;
} coffer_range;

/// Begins a range. The byte before it must not be a backslash.
void coffer_range_start(coffer_range *range, coffer_scan_kernel kernel);

/// Scans the range's next `count` bytes, a multiple of COFFER_SCAN_BLOCK.
void coffer_range_blocks(coffer_range *range, const uint8_t *bytes, size_t count);

/// Scans the range's last bytes, less than a block.
void coffer_range_finish(coffer_range *range, const uint8_t *bytes, size_t count);

#endif
