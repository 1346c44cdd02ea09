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
    if error == .invalidArgument, (try? stat().type) == .directory { return }
    throw error
  }
}

/// The names of a folder's entries, in the system's order.
package struct FolderNames {
  package private(set) var names: [String] = []
  /// The number of entries whose names are not valid UTF-8.
  package private(set) var otherCount = 0

  /// Returns `nil` and leaves `errno` set if the folder can't be read.
  package init?(_ folder: FilePath) { self.init(descriptor: open(folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) }

  /// - Parameter descriptor: the descriptor of an open folder, which is closed here; if negative, the result is `nil`.
  package init?(descriptor: CInt) {
    guard descriptor >= 0 else { return nil }
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return nil
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
          String(validatingCString: $0)
        }
      }
      guard let name else {
        otherCount += 1
        continue
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}

/// An open folder that is locked (`flock`) until this object is released or its process ends, for any reason; it leaves nothing
/// on disk.
///
/// On file systems without locks the folder is only open. It is never taken for abandoned, because no process can lock it.
package final class FolderLock: Sendable {
  /// The descriptor of the open folder. Names looked up in it stay valid even if the folder is renamed.
  package let descriptor: CInt
  /// True if the file system supports locks.
  package let isLocked: Bool

  /// Opens and locks a folder without following links.
  ///
  /// - Returns: `nil` if another process holds the lock, or if the path is not a folder or can't be opened.
  package init?(_ path: FilePath) {
    descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EWOULDBLOCK { return nil }
  }

  /// Opens and locks a folder for writing, following links; does not wait for the lock.
  ///
  /// - Throws: `locked` if another process holds the lock; `notFound` or `permissionDenied`.
  package init(writingTo path: FilePath) throws(CofferError) {
    descriptor = open(path.isEmpty ? "." : path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CofferError(Errno(rawValue: errno), verb: "open", name: path.string) }
    isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EWOULDBLOCK {
      throw CofferError(
        .locked, "\(path) is in use by another run of coffer: try again when it has finished",
        underlying: Errno.wouldBlock)
    }
  }

  deinit {
    // A process that was just forked shares the open folder until it calls exec, so that closing would not release the lock.
    if isLocked { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }

  /// Returns true if `path` still names this folder.
  package func holds(_ path: FilePath) -> Bool {
    guard let named = try? path.stat(followTargetSymlink: false), let opened = try? FileDescriptor(rawValue: descriptor).stat()
    else {
      return false
    }
    return named.isSameFile(as: opened)
  }
}
