public import BackupFormats
public import ByteStreams
import Digests
import Rules

extension SyntheticFormat {
  /// Returns a format for ``SyntheticArchive``.
  ///
  /// - Throws: `no-archive` if the format's backups aren't archives; otherwise the errors of `SyntheticFormat.init(_:)`.
  public static func archived(_ format: BackupFormat) throws(CofferError) -> SyntheticFormat {
    guard let layout = format.archive else { throw CofferError.noArchive(format.name) }
    return try SyntheticFormat(format, archive: layout) { MessageDigest.text(of: $1, by: $0) }
  }
}
