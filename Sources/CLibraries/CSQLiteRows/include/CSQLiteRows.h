#ifndef COFFER_SQLITE_ROWS_H
#define COFFER_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

// A virtual table whose methods SQLite calls for each value: in C, because Swift does not guarantee the layout of structures that
// SQLite casts.

enum { COFFER_CELL_NULL = 0, COFFER_CELL_INTEGER = 1, COFFER_CELL_TEXT = 2, COFFER_CELL_REAL = 3 };

/// One value of a row.
typedef struct {
  /// COFFER_CELL_NULL, …
  uint8_t kind;
  /// The length of a text in bytes.
  int32_t length;
  /// The integer, the offset of the text in `text`, or the bits of the double.
  int64_t value;
} coffer_cell;

/// Rows in memory, which must not change while a statement reads them.
typedef struct {
  /// `row_count` × `column_count` cells, row by row.
  const coffer_cell *cells;
  const char *text;
  int64_t row_count;
  int32_t column_count;
} coffer_rows;

/// Adds the table-valued function `coffer_rows(?)` to a connection. `coffer_bind_rows` binds its argument; its columns are `c0`,
/// `c1`, …
///
/// - column_count: the number of columns; those that a row lacks are null.
/// Returns SQLite's result code.
int coffer_add_rows_function(sqlite3 *database, int column_count);

/// Binds rows to a parameter. They must outlive the execution of the statement. Returns SQLite's result code.
int coffer_bind_rows(sqlite3_stmt *statement, int parameter, const coffer_rows *rows);

// MARK: SQL that others have written (Guard.c)

/// Configures a connection to tables that Coffer has made as https://www.sqlite.org/security.html advises: no extensions, no
/// triggers. A text in double quotes is a name, so that a misspelt column is an error. Returns SQLite's result code.
int coffer_guard(sqlite3 *database);

#endif
