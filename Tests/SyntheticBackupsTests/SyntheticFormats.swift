import BackupFormats
import Synchronization
import SyntheticBackups

/// Synthetic formats, each made once for all tests.
enum SyntheticFormats {
  private static let known = Mutex<[String: SyntheticFormat]>([:])

  /// The built-in format with this name.
  static func named(_ name: String) throws -> SyntheticFormat {
    guard let format = FormatCatalog.builtIn[name] else { preconditionFailure("there is no format \(name)") }
    return try of(format, archived: false)
  }

  static func of(_ format: BackupFormat, archived isArchived: Bool) throws -> SyntheticFormat {
    try known.withLock { known in
      let key = "\(format.name) \(isArchived)"
      let made = try known[key] ?? (isArchived ? .archived(format) : SyntheticFormat(format))
      known[key] = made
      return made
    }
  }
}
