/// An error of reading or creating a set of files that belongs to a database.
package struct FileSetError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, stable for programs. Open: later versions may add codes.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The database names a missing set of files.
    package static let missing = Code(rawValue: "files-missing")
    /// The set has been changed: it has an entry that isn't a file, or its properties are inconsistent.
    package static let damaged = Code(rawValue: "files-damaged")
    /// A file of the backup and an existing one can't be in the same folder on every system.
    package static let nameConflict = Code(rawValue: "duplicate-entry")
  }

  package let code: Code
  /// The problem, for users.
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
