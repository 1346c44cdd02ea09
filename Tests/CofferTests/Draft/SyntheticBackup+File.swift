import Coffer
import SyntheticBackups
import SystemPackage
import TestSupport

extension SyntheticBackup {
  /// Writes a backup of a format to a file, and returns its path.
  static func write(
    _ format: String, seed: UInt64, size: Int, to name: String, in folder: TemporaryFolder
  ) throws -> FilePath {
    let path = folder.path.appending(name)
    let backup = try SyntheticBackup(of: Validating.synthetic(format), options: .init(size: size, seed: seed))
    var file = try AtomicFile(path)
    _ = try backup.write(to: &file)
    try file.commit()
    return path
  }
}
