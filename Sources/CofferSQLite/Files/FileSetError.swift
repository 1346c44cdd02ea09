/// An error of reading or making a database's set of files.
package struct FileSetError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, stable for programs. Open: later versions may add codes.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The database names a missing set of files.
    package static let missing = Code(rawValue: "files-missing")
    /// The set contains something other than files, its name is invalid, or another program changed it.
    package static let damaged = Code(rawValue: "files-damaged")
    /// The names of a file of the backup and an existing file collide on some file systems.
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
