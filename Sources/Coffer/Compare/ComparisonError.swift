/// Why two backups can't be compared or merged.
///
/// For example:
///
///     do {
///       difference = try comparer.difference(from: Backup(path: "monday.json"), to: Backup(path: "friday.json"))
///     } catch let error as ComparisonError where error.code == .unreadable {
///       print(error.message)        // friday.json:1:14: expected a value, found ']' (byte 13)
///     }
public struct ComparisonError: Error, Sendable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in kebab case, such as `duplicate-key`.
    public let rawValue: String
    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The formats differ.
    public static let differentFormats = Code(rawValue: "different-formats")
    /// The versions of the format differ.
    public static let differentVersions = Code(rawValue: "different-versions")
    /// Several formats fit one of the backups.
    public static let ambiguousFormat = Code(rawValue: "ambiguous-format")
    /// It is unknown which arrays hold records to merge.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// Two records of one backup have the same key, so the key is ambiguous.
    public static let duplicateKey = Code(rawValue: "duplicate-key")
    /// It is unknown which of two records is newer.
    public static let noTime = Code(rawValue: "no-time")
    /// The input is an archive, not a document.
    public static let archive = Code(rawValue: "archive")
    /// The JSON Pointer of a requested key is malformed, or it is an array in neither document and a collection in no rule.
    public static let invalidKey = Code(rawValue: "invalid-key")
    /// JSON Lines can only be written from an array.
    public static let notAnArray = Code(rawValue: "not-an-array")
    /// A backup can't be read completely: see ``ComparisonError/cause``.
    public static let unreadable = Code(rawValue: "unreadable")
  }

  /// The code, for programs.
  public let code: Code
  /// The message: the problem, the backup and the place.
  public let message: String
  /// Why a backup can't be read: a `JSONReadError`, with offset, line and column, or a `ByteStreamError`. `nil` for all codes
  /// except ``Code/unreadable``.
  public let cause: (any Error)?

  /// Creates an error, for example in a test.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  public var description: String { message }
}
