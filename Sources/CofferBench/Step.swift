/// A measured kind of work, in the order of execution. Each is a separate process.
package enum Step: String, CaseIterable, Sendable, Encodable {
  /// Reads the document and checks that it is well formed, with rules without constraints.
  case parse
  /// Validates the document against the rules of its format.
  case validate
  /// Writes the document as compact JSON and discards it.
  case convert
  /// Compresses to LZ4 and discards the output.
  case compress
  /// Decompresses the document, or its LZ4, and discards the output.
  case decompress
  /// Imports into a new database.
  case `import`
  /// Imports again into that database: each record replaces itself.
  case merge
  /// Imports the same rows as CSV with the sqlite3 shell, into tables without keys.
  case shellImport = "sqlite3-import"
  /// Exports from that database and discards the output.
  case export
  /// Writes the rows of that database as JSON with the sqlite3 shell, and discards the output.
  case shellExport = "sqlite3-export"

  /// True if the sqlite3 shell runs it, which has one thread.
  var isOfShell: Bool { self == .shellImport || self == .shellExport }

  /// The sqlite3 shell's equivalent, or `nil` if there is none.
  var peer: Step? {
    switch self {
    case .import, .merge: .shellImport
    case .export: .shellExport
    case .parse, .validate, .convert, .compress, .decompress, .shellImport, .shellExport: nil
    }
  }
}
