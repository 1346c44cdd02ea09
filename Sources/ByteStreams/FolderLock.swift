package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder that is open and locked (`flock`), until this goes or its process ends, in whatever way: nothing is left behind.
///
/// Where a file system has no locks the folder is open alone, and nobody takes it for abandoned, for nobody can lock it.
package final class FolderLock: Sendable {
  /// Of the open folder, to look names up in: they stay right whatever becomes of the folder's own name.
  package let descriptor: CInt
  /// Whether the file system has locks.
  package let isLocked: Bool

  /// Follows no link.
  ///
  /// - Returns: `nil` if somebody else has locked it, or if it is no folder or can't be opened.
  package init?(_ path: FilePath) {
    descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EWOULDBLOCK { return nil }
  }

  /// The folder that somebody writes to, links followed; nobody is waited for.
  ///
  /// - Throws: `locked` if another has it; `notFound` or `permissionDenied`.
  package init(writingTo path: FilePath) throws(ByteStreamError) {
    descriptor = open(path.isEmpty ? "." : path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteStreamError(Errno(rawValue: errno), verb: "open", name: path.string) }
    isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EWOULDBLOCK {
      throw ByteStreamError(
        code: .locked, message: "\(path) is being written to by another run of coffer: try again when that is done",
        errno: .wouldBlock)
    }
  }

  deinit {
    // A process that this one is just starting has the same open folder until it becomes another program: closing alone would leave it locked.
    if isLocked { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }

  /// Whether the folder that has the name is this one.
  package func holds(_ path: FilePath) -> Bool {
    var (named, opened) = (stat(), stat())
    return lstat(path.string, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev
      && named.st_ino == opened.st_ino
  }
}
