public import ByteStreams

/// Errors of archives as a whole.
extension CofferError.Code {
  /// The bytes do not begin like a ZIP archive.
  public static let notZIP = Self(rawValue: "not-zip")
  /// The archive ends too early.
  public static let zipTruncated = Self(rawValue: "zip-truncated")
  /// The archive's data can't be expanded, or is invalid from some offset on.
  public static let zipCorrupt = Self(rawValue: "zip-corrupt")
  /// The directory and the headers before the entries disagree, or bytes belong to no entry.
  public static let zipInconsistent = Self(rawValue: "zip-inconsistent")
  /// The archive needs an unsupported feature, such as several disks.
  public static let zipUnsupported = Self(rawValue: "zip-unsupported")
}

/// Errors in individual entries of archives.
extension CofferError.Code {
  /// The entry's name leaves the target folder, or is not a valid file name on every system.
  public static let unsafeName = Self(rawValue: "path-unsafe")
  /// The entry is a symbolic link, a device or similar.
  public static let notAFile = Self(rawValue: "entry-type")
  /// Another entry has the same name, or one that equals it on some file systems.
  public static let duplicateName = Self(rawValue: "duplicate-entry")
  /// The entry's data needs a password, and is skipped.
  public static let zipEncrypted = Self(rawValue: "zip-encrypted")
  /// The entry's size differs from the declared one.
  public static let zipSize = Self(rawValue: "zip-size")
  /// The entry's data does not match its checksum (CRC-32).
  public static let zipChecksum = Self(rawValue: "zip-checksum")
}

extension CofferError {
  /// Creates the error of an archive or, with a name, of one of its entries.
  package init(_ code: Code, _ message: String, entry: String?) { self.init(code, message, at: Place(entry: entry)) }
}
