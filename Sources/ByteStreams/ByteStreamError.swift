public import SystemPackage

/// Why bytes could not be read or written.
///
/// `message` names the file and says what happened in words a user can act on; `errno` is the system's own reason, where it gave one; `offset` is the
/// place in the bytes as they arrived, before anything was decoded, where it is a matter of what they say.
public struct ByteStreamError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notFound = Code(rawValue: "not-found")
    public static let permissionDenied = Code(rawValue: "permission-denied")
    public static let isDirectory = Code(rawValue: "is-directory")
    public static let alreadyExists = Code(rawValue: "already-exists")
    public static let noSpace = Code(rawValue: "no-space")
    public static let brokenPipe = Code(rawValue: "broken-pipe")
    public static let inputOutput = Code(rawValue: "input-output")
    /// The bytes came as a stream, which somebody has read before.
    public static let alreadyRead = Code(rawValue: "already-read")
    /// What would have to be sorted doesn't fit into the memory that there is for it.
    public static let sortLimit = Code(rawValue: "sort-limit")
    /// The bytes are a ZIP archive, where a document was to be.
    public static let zipArchive = Code(rawValue: "zip-archive")
    /// The bytes are compressed by another program than LZ4, where a document was to be.
    public static let foreignCompression = Code(rawValue: "foreign-compression")
    /// A file was written to while it was read.
    public static let inputChanged = Code(rawValue: "input-changed")
    /// Somebody else writes to the folder.
    public static let locked = Code(rawValue: "locked")
    /// A `Cancellation` was requested while bytes were waited for.
    public static let cancelled = Code(rawValue: "cancelled")
  }

  public let code: Code
  public let message: String
  public let errno: Errno?
  /// From 0, in bytes.
  public let offset: Int?

  public init(code: Code, message: String, errno: Errno? = nil, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.errno = errno
    self.offset = offset
  }

  public var description: String { message }

  /// The error for a failed system call on `name`.
  ///
  /// - Parameter verb: what was tried: `open`, `read`, `write`.
  package init(_ errno: Errno, verb: String, name: String) {
    let code: Code
    switch errno {
    case .noSuchFileOrDirectory, .notDirectory: code = .notFound
    case .permissionDenied, .notPermitted, .readOnlyFileSystem: code = .permissionDenied
    case .isDirectory: code = .isDirectory
    case .fileExists: code = .alreadyExists
    case .noSpace, .fileTooLarge, .diskQuotaExceeded: code = .noSpace
    case .brokenPipe: code = .brokenPipe
    default: code = .inputOutput
    }
    self.init(code: code, message: "cannot \(verb) \(name): \(errno.sentence)", errno: errno)
  }
}

extension Errno {
  /// The system's text with a small first letter, to stand behind a colon.
  fileprivate var sentence: String {
    let text = description
    guard let first = text.first else { return text }
    return first.lowercased() + text.dropFirst()
  }
}
