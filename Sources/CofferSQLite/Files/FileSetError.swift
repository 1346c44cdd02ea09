/// Why the files that belong to a database could not be had, or put together.
package struct FileSetError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, stable for programs. Open: later versions may add codes.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The database names a set of files that isn't there.
    package static let missing = Code(rawValue: "files-missing")
    /// In the set stands what is no file, or what it says of itself can't be: somebody has changed it.
    package static let damaged = Code(rawValue: "files-damaged")
    /// A file of the backup and one that is there already can't stand in one folder on every system.
    package static let nameConflict = Code(rawValue: "duplicate-entry")
  }

  package let code: Code
  /// In words a user can act on.
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
