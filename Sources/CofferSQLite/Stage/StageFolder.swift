package import ByteStreams
import Platform
package import SystemPackage

/// A folder for the files of one piece of work, where the environment wants temporary files. What killed runs left there is removed first.
package struct StageFolder {
  private let path: FilePath
  private let lock: FolderLock

  /// Where a database may lie.
  package var databasePath: FilePath { path.appending("stage.db") }

  /// - Throws: `ByteStreamError` if none can be made.
  package init(in parent: FilePath = SpillFile.defaultFolder) throws(ByteStreamError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: parent, permissions: .ownerReadWriteExecute)
    } catch {
      throw ByteStreamError(error, verb: "make a folder in", name: parent.string)
    }
  }

  /// Removes it with the database in it.
  package func remove() {
    _ = try? DatabaseFile.remove(databasePath)
    rmdir(path.string)
  }
}
