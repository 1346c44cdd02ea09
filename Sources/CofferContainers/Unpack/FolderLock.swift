import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder that is open and locked, until this goes or its process ends, in whatever way.
///
/// Where a file system has no locks the folder is open alone, and nobody takes it for abandoned, for nobody can lock it.
final class FolderLock {
  let descriptor: CInt
  /// Whether the file system has locks.
  let isLocked: Bool

  /// - Returns: `nil` if somebody else has locked it, or if it is no folder or can't be opened.
  init?(_ path: FilePath) {
    descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EWOULDBLOCK { return nil }
  }

  deinit { close(descriptor) }

  /// Whether the folder that has the name is this one.
  func holds(_ path: FilePath) -> Bool {
    var (named, opened) = (stat(), stat())
    return lstat(path.string, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev
      && named.st_ino == opened.st_ino
  }
}
