import BackupFormats
import Synchronization
import SyntheticArchives
import SyntheticBackups

/// Synthetic formats, each derived once for all tests.
enum SyntheticFormats {
  private static let known = Mutex<[String: SyntheticFormat]>([:])

  static func of(_ format: BackupFormat, archived isArchived: Bool) throws -> SyntheticFormat {
    try known.withLock { known in
      let key = "\(format.name) \(isArchived)"
      let made = try known[key] ?? (isArchived ? .archived(format) : SyntheticFormat(format))
      known[key] = made
      return made
    }
  }
}
