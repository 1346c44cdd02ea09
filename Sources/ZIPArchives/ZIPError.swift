public import ByteStreams

/// What is wrong with a ZIP archive, or with one of its entries: why it is refused.
///
/// `message` says what was found in words a user can act on; `entry` is the name as the archive has it.
public struct ZIPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    // The archive as a whole.

    /// The bytes do not begin as a ZIP archive does.
    public static let notZIP = Code(rawValue: "not-zip")
    /// It ends too early.
    public static let truncated = Code(rawValue: "zip-truncated")
    /// Its data can't be expanded, or is no archive from some place on.
    public static let corrupt = Code(rawValue: "zip-corrupt")
    /// Its directory and what stands before the entries say different things, or bytes belong to no entry.
    public static let inconsistent = Code(rawValue: "zip-inconsistent")
    /// It needs what isn't supported: several disks, for example.
    public static let unsupported = Code(rawValue: "zip-unsupported")
    /// More entries, more bytes or a higher ratio than is allowed.
    public static let limit = Code(rawValue: "limit")
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: "input-output")
    /// A `Cancellation` was requested.
    public static let cancelled = Code(rawValue: "cancelled")

    // One entry.

    /// Its name leads out of the folder it would be put in, or can't be a file's name everywhere.
    public static let unsafeName = Code(rawValue: "path-unsafe")
    /// It is a symbolic link, a device or the like.
    public static let notAFile = Code(rawValue: "entry-type")
    /// Another entry has the name, or one that some file systems take for the same.
    public static let duplicateName = Code(rawValue: "duplicate-entry")
    /// Its data can be had with a password alone, and is passed over.
    public static let encrypted = Code(rawValue: "zip-encrypted")
    /// It is not as large as the archive says.
    public static let size = Code(rawValue: "zip-size")
    /// Its bytes are not those that were put in (CRC-32).
    public static let checksum = Code(rawValue: "zip-checksum")
  }

  public let code: Code
  /// Without the entry's name.
  public let message: String
  /// The entry that it is about; `nil`: the archive.
  public let entry: String?
  /// What reading or writing failed with.
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

  /// With the entry's name before it, where it is about one; control characters in that name are escaped.
  public var description: String { entry.map { "\($0.printable): \(message)" } ?? message }

  /// What it was caused by doesn't count.
  public static func == (a: ZIPError, b: ZIPError) -> Bool { a.code == b.code && a.message == b.message && a.entry == b.entry }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(entry)
  }
}

extension ByteStreamError {
  /// The same for those who only know of bytes.
  package init(_ error: ZIPError) {
    self = error.cause ?? ByteStreamError(code: Code(rawValue: error.code.rawValue), message: error.description)
  }
}
