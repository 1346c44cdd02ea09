public import BackupFormats
import Digests
import Rules

extension SyntheticFormat {
  /// A format of which ``SyntheticArchive``s are made.
  ///
  /// - Throws: `no-archive` if the format's backups are no archives; else as `SyntheticFormat.init(_:)`.
  public static func archived(_ format: BackupFormat) throws -> SyntheticFormat {
    guard let layout = format.archive else { throw SyntheticBackupError.noArchive(format.name) }
    return try SyntheticFormat(format, archive: layout) { MessageDigest.text(of: $1, by: $0) }
  }
}
