@_exported public import BackupFormats
@_exported public import ByteStreams
public import ByteStreams
@_exported public import CompressedStreams
@_exported public import Findings
@_exported public import GzipStreams
@_exported public import JSONEvents
@_exported public import LZ4Streams
@_exported public import Rules
@_exported public import ZIPArchives
@_exported public import ZstdStreams

@_exported public import enum RuleDrafts.DraftStrictness
// The type of paths of sources, files and rule documents.
@_exported public import struct SystemPackage.FilePath

/// Errors in the choice of collections or records.
extension CofferError.Code {
  /// The document has no such value.
  public static let noSuchValue = Self(rawValue: "no-such-value")
  /// The value is not an array.
  public static let notAnArray = Self(rawValue: "not-an-array")
  /// The document has two such values: an object has the same key twice.
  public static let ambiguousValue = Self(rawValue: "ambiguous-value")
  /// The rules describe no collection of that name.
  public static let unknownCollection = Self(rawValue: "unknown-collection")
  /// Collections can't be chosen here.
  public static let noCollections = Self(rawValue: "no-collections")
  /// A record doesn't fit its Swift type.
  public static let decoding = Self(rawValue: "decoding")
}

/// Errors of comparing and merging backups.
extension CofferError.Code {
  /// The formats differ.
  public static let differentFormats = Self(rawValue: "different-formats")
  /// The versions of the format differ.
  public static let differentVersions = Self(rawValue: "different-versions")
  /// Two records of one backup have the same key, so the key is ambiguous.
  public static let duplicateKey = Self(rawValue: "duplicate-key")
  /// Both backups have records in an array without a key, so that a merge would drop those of one.
  public static let noKey = Self(rawValue: "no-key")
  /// It is unknown which of two records is newer.
  public static let noTime = Self(rawValue: "no-time")
  /// The JSON Pointer of a requested key is malformed, or it is an array in neither document and a collection in no rule.
  public static let invalidKey = Self(rawValue: "invalid-key")
}

extension CofferError.Code {
  /// Validation found errors, and they were not accepted. The underlying error is a ``FindingsError``.
  public static let findings = Self(rawValue: "findings")
  /// An entry of an archive is compressed with LZ4, which no app reads.
  public static let lz4Entry = Self(rawValue: "lz4-entry")
  /// An error that no code describes.
  public static let other = Self(rawValue: "internal")
}

/// Refusals to store a backup in a database that would lose data.
extension CofferError.Code {
  /// The backup and the database have incompatible formats, versions or tables.
  public static let incompatible = Self(rawValue: "incompatible")
  /// A value that a table can't hold exactly: a record that isn't an object, a key that doesn't fit its column, a duplicate
  /// member.
  public static let unsupportedValue = Self(rawValue: "unsupported-value")
  /// Records have a duplicate key, or refer to missing records.
  public static let conflict = Self(rawValue: "conflict")
  /// A statement in SQL is wrong, refused, or makes too large a value.
  public static let sql = Self(rawValue: "sql")
}
