public import ByteStreams

/// The reason why a ZIP archive, or one of its entries, is rejected.
///
/// `message` describes the problem for users; `entry` is the name in the archive.
public struct ZIPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong; stable for programs. Later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    // The archive as a whole.

    /// The bytes do not begin like a ZIP archive.
    public static let notZIP = Code(rawValue: "not-zip")
    /// The archive ends too early.
    public static let truncated = Code(rawValue: "zip-truncated")
    /// The archive's data can't be expanded, or is invalid from some offset on.
    public static let corrupt = Code(rawValue: "zip-corrupt")
    /// The directory and the headers before the entries disagree, or bytes belong to no entry.
    public static let inconsistent = Code(rawValue: "zip-inconsistent")
    /// The archive needs an unsupported feature, such as several disks.
    public static let unsupported = Code(rawValue: "zip-unsupported")
    /// The archive exceeds the limit of entries, bytes or compression ratio.
    public static let limit = Code(rawValue: "limit")
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: "input-output")
    /// A `Cancellation` was requested.
    public static let cancelled = Code(rawValue: "cancelled")

    // One entry.

    /// The entry's name leaves the target folder, or is not a valid file name on every system.
    public static let unsafeName = Code(rawValue: "path-unsafe")
    /// The entry is a symbolic link, a device or similar.
    public static let notAFile = Code(rawValue: "entry-type")
    /// Another entry has the same name, or one that equals it on some file systems.
    public static let duplicateName = Code(rawValue: "duplicate-entry")
    /// The entry's data needs a password, and is skipped.
    public static let encrypted = Code(rawValue: "zip-encrypted")
    /// The entry's size differs from the declared one.
    public static let size = Code(rawValue: "zip-size")
    /// The entry's data does not match its checksum (CRC-32).
    public static let checksum = Code(rawValue: "zip-checksum")
  }

  public let code: Code
  /// The message, without the entry's name.
  public let message: String
  /// The affected entry; `nil` for the whole archive.
  public let entry: String?
  /// The underlying read or write error.
  public let cause: ByteStreamError?

  public init(_ code: Code, _ message: String, entry: String? = nil, cause: ByteStreamError? = nil) {
    self.code = code
    self.message = message
    self.entry = entry
    self.cause = cause
  }

  init(_ error: ByteStreamError) {
    self.init(error.code == .cancelled ? .cancelled : .inputOutput, error.message, cause: error)
  }

  /// The message, preceded by the entry's name if there is one; control characters in the name are escaped.
  public var description: String { entry.map { "\($0.printable): \(message)" } ?? message }

  /// Ignores the cause.
  public static func == (a: ZIPError, b: ZIPError) -> Bool { a.code == b.code && a.message == b.message && a.entry == b.entry }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(entry)
  }
}

extension ByteStreamError {
  /// Converts a ZIP error for code that only knows byte streams.
  package init(_ error: ZIPError) {
    self = error.cause ?? ByteStreamError(code: Code(rawValue: error.code.rawValue), message: error.description)
  }
}
