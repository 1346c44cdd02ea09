package import ByteStreams
import Platform
package import SystemPackage

/// A folder for temporary files, in the environment's temporary folder. Creating it first removes the leftovers of killed runs.
package struct StageFolder {
  private let path: FilePath
  private let lock: FolderLock

  /// The path for a database in the folder.
  package var databasePath: FilePath { path.appending("stage.db") }

  /// - Throws: `CofferError` if the folder can't be created.
  package init(in parent: FilePath = SpillFile.defaultFolder) throws(CofferError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: parent, permissions: .ownerReadWriteExecute)
    } catch {
      throw CofferError(error, verb: "make a folder in", name: parent.string)
    }
  }

  /// Removes the folder and its database.
  package func remove() {
    _ = try? DatabaseFile.remove(databasePath)
    rmdir(path.string)
  }
}
