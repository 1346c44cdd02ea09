/// A kind of work that is measured, in the order in which it is done: each is a process of its own.
package enum Step: String, CaseIterable, Sendable {
  /// Read to the end and proved well formed, by rules that ask for nothing.
  case parse
  /// Checked by the rules of its format.
  case validate
  /// Written again without blanks, to nowhere.
  case convert
  /// Compressed to LZ4, to nowhere.
  case compress
  /// Decompressed from that, to nowhere.
  case decompress
  /// Imported into a database that is made for it.
  case `import`
  /// Imported once more into that database: each record takes the place of itself.
  case merge
  /// The same rows as CSV, read by the sqlite3 shell into tables without keys.
  case shellImport = "sqlite3-import"
  /// Exported from that database, to nowhere.
  case export
  /// The rows of that database, written as JSON by the sqlite3 shell, to nowhere.
  case shellExport = "sqlite3-export"

  /// Whether the sqlite3 shell does it, which has one thread.
  var isOfShell: Bool { self == .shellImport || self == .shellExport }

  /// What the sqlite3 shell does in its place; `nil` if the shell has no such step.
  var peer: Step? {
    switch self {
    case .import, .merge: .shellImport
    case .export: .shellExport
    case .parse, .validate, .convert, .compress, .decompress, .shellImport, .shellExport: nil
    }
  }
}
