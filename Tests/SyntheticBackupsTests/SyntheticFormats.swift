import BackupFormats
import Synchronization
import SyntheticBackups

/// The built-in formats, each derived once.
enum SyntheticFormats {
  private static let known = Mutex<[String: SyntheticFormat]>([:])

  static func named(_ name: String) throws -> SyntheticFormat {
    if let format = known.withLock({ $0[name] }) { return format }
    guard let format = try FormatCatalog.builtIn()[name] else { preconditionFailure("there is no format \(name)") }
    let made = try SyntheticFormat(format)
    known.withLock { $0[name] = made }
    return made
  }
}
