import Platform
package import SystemPackage

extension FilePath {
  /// Creates the folder and its parents, as far as they don't exist. Syncs the folders that hold new ones.
  package func makeFolders(permissions: FilePermissions) throws(CofferError) {
    var path = FilePath(root: root, [FilePath.Component]())
    for component in components {
      let parent = path
      path.append(component)
      // A read-only parent may refuse even a folder that exists.
      if access(path.string, F_OK) == 0 { continue }
      if mkdir(path.string, permissions.rawValue) != 0 {
        // Another run may have created it.
        if errno == EEXIST { continue }
        throw CofferError(Errno(rawValue: errno), verb: "create", name: path.string)
      }
      do { try parent.sync() } catch { throw CofferError(error, verb: "sync", name: parent.string) }
    }
  }

  /// Writes a file's content or a folder's names to the disk. An empty path is the current folder.
  package func sync() throws(Errno) {
    let descriptor = open(isEmpty ? "." : string, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    try FileDescriptor(rawValue: descriptor).sync()
  }
}

extension FileDescriptor {
  /// Writes a file's content or a folder's names to the disk.
  package func sync() throws(Errno) {
    if fsync(rawValue) == 0 { return }
    let error = Errno(rawValue: errno)
    // Some file systems can't sync a folder, and don't need to.
    if error == .invalidArgument, FileSource.type(of: self) == S_IFDIR { return }
    throw error
  }
}
