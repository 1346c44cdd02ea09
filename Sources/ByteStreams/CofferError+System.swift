package import SystemPackage

extension CofferError.Code {
  public static let notFound = Self(rawValue: "not-found")
  public static let permissionDenied = Self(rawValue: "permission-denied")
  public static let isDirectory = Self(rawValue: "is-directory")
  public static let alreadyExists = Self(rawValue: "already-exists")
  public static let noSpace = Self(rawValue: "no-space")
  public static let brokenPipe = Self(rawValue: "broken-pipe")
  public static let inputOutput = Self(rawValue: "input-output")
  /// The bytes came from a stream that was already read.
  public static let alreadyRead = Self(rawValue: "already-read")
  /// The bytes are a ZIP archive, but a document was expected.
  public static let zipArchive = Self(rawValue: "zip-archive")
  /// The bytes are compressed in a format that Coffer doesn't read there.
  public static let foreignCompression = Self(rawValue: "foreign-compression")
  /// The bytes are a SQLite database, but a document was expected.
  public static let sqliteDatabase = Self(rawValue: "sqlite-database")
  /// A file was modified while it was read.
  public static let inputChanged = Self(rawValue: "input-changed")
  /// Another process holds a lock on the folder or the database.
  public static let locked = Self(rawValue: "locked")
  /// A `Cancellation` was requested while a read waited for bytes.
  public static let cancelled = Self(rawValue: "cancelled")
}

extension CofferError {
  /// Creates the error for a failed system call on `name`.
  ///
  /// - Parameter verb: the attempted operation: `open`, `read`, `write`.
  package init(_ errno: Errno, verb: String, name: String) {
    self.init(Code(errno), "cannot \(verb) \(name): \(errno.sentence)", underlying: errno)
  }
}

extension CofferError.Code {
  /// Creates the code for a failed system call.
  package init(_ errno: Errno) {
    switch errno {
    case .noSuchFileOrDirectory, .notDirectory: self = .notFound
    case .permissionDenied, .notPermitted, .readOnlyFileSystem: self = .permissionDenied
    case .isDirectory: self = .isDirectory
    case .fileExists: self = .alreadyExists
    case .noSpace, .fileTooLarge, .diskQuotaExceeded: self = .noSpace
    case .brokenPipe: self = .brokenPipe
    default: self = .inputOutput
    }
  }
}

extension Errno {
  /// The system's text with a lowercase first letter, for use after a colon.
  fileprivate var sentence: String {
    let text = description
    guard let first = text.first else { return text }
    return first.lowercased() + text.dropFirst()
  }
}
