package import ByteStreams
import Platform
package import SystemPackage

/// A temporary folder for one operation. Leftovers of killed runs are removed first.
package struct StageFolder {
  private let path: FilePath
  private let lock: FolderLock

  /// The path for a database.
  package var databasePath: FilePath { path.appending("stage.db") }

  /// - Throws: `ByteStreamError` if the folder can't be created.
  package init(in parent: FilePath = SpillFile.defaultFolder) throws(ByteStreamError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: parent, permissions: .ownerReadWriteExecute)
    } catch {
      throw ByteStreamError(error, verb: "make a folder in", name: parent.string)
    }
  }

  /// Removes the folder, with the database in it.
  package func remove() {
    _ = try? DatabaseFile.remove(databasePath)
    rmdir(path.string)
  }
}
