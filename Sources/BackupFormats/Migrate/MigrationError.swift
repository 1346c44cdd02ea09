/// An error that prevents a migration.
public struct MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No known format fits the document.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// Several formats fit.
    public static let ambiguousFormat = Code(rawValue: "ambiguous-format")
    /// The document's version is newer than the newest known one.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// The document's version is older than the oldest known one.
    public static let olderVersion = Code(rawValue: "older-version")
    /// The document's version is missing, ambiguous or invalid.
    public static let noVersion = Code(rawValue: "no-version")
    /// No migration leads to the requested version.
    public static let noMigration = Code(rawValue: "no-migration")
    /// The ZIP archive isn't a backup, or can't be written as requested.
    public static let archive = Code(rawValue: "archive")
    /// A record or the envelope is too large to be changed.
    public static let sizeLimit = Code(rawValue: "size-limit")
    /// The steps would change the order of collections, which are too large to be buffered.
    public static let collectionOrder = Code(rawValue: "collection-order")
    /// The document changed while it was read.
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
