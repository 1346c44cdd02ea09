public import SystemPackage

/// The reason why bytes could not be read or written.
///
/// `message` names the file and describes the problem for users; `errno` is the system's error, if there was one; `offset`
/// locates invalid bytes in the input as it arrived, before any decoding.
public struct ByteStreamError: Error, Sendable, CustomStringConvertible {
  /// What went wrong; stable for programs. Later versions may add codes.
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
    /// The bytes came from a stream that was already read.
    public static let alreadyRead = Code(rawValue: "already-read")
    /// The data to sort exceeds the memory available for it.
    public static let sortLimit = Code(rawValue: "sort-limit")
    /// The bytes are a ZIP archive, but a document was expected.
    public static let zipArchive = Code(rawValue: "zip-archive")
    /// The bytes are compressed in a format other than LZ4, but a document was expected.
    public static let foreignCompression = Code(rawValue: "foreign-compression")
    /// A file was modified while it was read.
    public static let inputChanged = Code(rawValue: "input-changed")
    /// Another process writes to the folder.
    public static let locked = Code(rawValue: "locked")
    /// A `Cancellation` was requested while a read waited for bytes.
    public static let cancelled = Code(rawValue: "cancelled")
  }

  public let code: Code
  public let message: String
  public let errno: Errno?
  /// The offset in bytes, from 0.
  public let offset: Int?

  public init(code: Code, message: String, errno: Errno? = nil, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.errno = errno
    self.offset = offset
  }

  public var description: String { message }

  /// Creates the error for a failed system call on `name`.
  ///
  /// - Parameter verb: the attempted operation: `open`, `read`, `write`.
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
  /// The system's text with a lowercase first letter, for use after a colon.
  fileprivate var sentence: String {
    let text = description
    guard let first = text.first else { return text }
    return first.lowercased() + text.dropFirst()
  }
}
