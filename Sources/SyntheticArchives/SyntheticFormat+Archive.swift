public import BackupFormats
import Crypto
import Rules
public import SyntheticBackups

extension SyntheticFormat {
  /// A format of which ``SyntheticArchive``s are made.
  ///
  /// - Throws: `no-archive` if the format's backups are no archives; else as `SyntheticFormat.init(_:)`.
  public static func archived(_ format: BackupFormat) throws -> SyntheticFormat {
    guard let layout = format.archive else { throw SyntheticBackupError.noArchive(format.name) }
    return try SyntheticFormat(format, archive: layout) { algorithm, bytes in
      switch algorithm {
      case .md5: text(of: Insecure.MD5.hash(data: bytes))
      case .sha256: text(of: SHA256.hash(data: bytes))
      }
    }
  }

  private static func text(of digest: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
