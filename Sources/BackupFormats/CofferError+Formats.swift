public import ByteStreams

extension CofferError.Code {
  /// No known format fits the document.
  public static let unknownFormat = Self(rawValue: "unknown-format")
  /// Several formats fit.
  public static let ambiguousFormat = Self(rawValue: "ambiguous-format")
  /// The archive or document isn't a backup of any format that is allowed here.
  public static let notABackup = Self(rawValue: "not-a-backup")
  /// The version of a document or of a database's contents is newer than the newest known one.
  public static let newerVersion = Self(rawValue: "newer-version")
  /// The document's version is older than the oldest known one.
  public static let olderVersion = Self(rawValue: "older-version")
  /// The document's version is missing, ambiguous or invalid.
  public static let noVersion = Self(rawValue: "no-version")
  /// No migration leads to the requested version.
  public static let noMigration = Self(rawValue: "no-migration")
  /// A record or the envelope is too large to be changed.
  public static let sizeLimit = Self(rawValue: "size-limit")
  /// The steps of a migration would change the order of collections, which are too large to be buffered.
  public static let collectionOrder = Self(rawValue: "collection-order")
}
