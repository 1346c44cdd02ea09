import Platform
package import SystemPackage

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
    var (named, opened) = (stat(), stat())
    return lstat(path.string, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev
      && named.st_ino == opened.st_ino
  }
}
