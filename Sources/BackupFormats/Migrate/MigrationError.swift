/// Why a document can't be migrated.
public struct MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The document shows itself to be of no format that is known.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// Several formats fit.
    public static let ambiguousFormat = Code(rawValue: "ambiguous-format")
    /// The document is of a version that is newer than the newest known.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// It is of a version that is older than the oldest known.
    public static let olderVersion = Code(rawValue: "older-version")
    /// It doesn't say its version, says several, or says what is none.
    public static let noVersion = Code(rawValue: "no-version")
    /// There is no way from its version to the one that was asked for.
    public static let noMigration = Code(rawValue: "no-migration")
    /// It is a ZIP archive that is no backup, or can't be written as was asked for.
    public static let archive = Code(rawValue: "archive")
    /// A record, or what stands outside of all records, is too large to be changed.
    public static let sizeLimit = Code(rawValue: "size-limit")
    /// The steps would change the order of collections, which are too large to wait for each other.
    public static let collectionOrder = Code(rawValue: "collection-order")
    /// The document has changed while it was read.
    public static let changed = Code(rawValue: "changed")
  }

  public let code: Code
  public let message: String

  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
