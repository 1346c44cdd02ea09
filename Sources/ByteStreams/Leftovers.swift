import Platform
package import SystemPackage

/// Named temporary files and folders, and the removal of those left by killed processes.
///
///     .coffer-4711-0.tmp      the first one of process 4711, locked (`flock`) as long as the process lives
///
/// Only the lock shows whether the process lives, because it ends with the process. Process numbers are reused, and denote other
/// processes in other containers and on other machines that share the disk.
package enum Leftovers {
  static func name(_ number: Int) -> String { ".coffer-\(getpid())-\(number).tmp" }

  /// Returns true if `name` is that of a temporary file or folder.
  package static func isName(_ name: String) -> Bool {
    guard name.hasPrefix(".coffer-"), name.hasSuffix(".tmp") else { return false }
    let numbers = name.dropFirst(8).dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { UInt32($0) != nil }
  }

  /// Creates a folder, which belongs to this process as long as the lock is held.
  package static func makeFolder(
    in parent: FilePath, permissions: FilePermissions
  ) throws(Errno) -> (path: FilePath, lock: FolderLock) {
    remove(in: parent)
    for number in 0...10_000 {
      let path = parent.appending(name(number))
      if mkdir(path.string, permissions.rawValue) == 0 {
        // Another process may have removed the folder before it was locked.
        if let lock = FolderLock(path), lock.holds(path) { return (path, lock) }
      } else if errno != EEXIST {
        throw Errno(rawValue: errno)
      }
    }
    throw .fileExists
  }

  /// Removes this user's leftovers that no process holds from a folder. Failures are ignored; a later run tries again.
  ///
  /// Cost: lists the folder once.
  package static func remove(in folder: FilePath) {
    let folder = folder.isEmpty ? "." : folder
    for name in FolderNames(folder)?.names ?? [] where isName(name) {
      let path = folder.appending(name)
      if let lock = FolderLock(path) { removeFolder(path, lock) } else { removeFile(path) }
    }
  }

  private static func removeFolder(_ path: FilePath, _ lock: FolderLock) {
    guard lock.isLocked, lock.holds(path) else { return }
    var information = stat()
    guard fstat(lock.descriptor, &information) == 0, information.st_uid == geteuid() else { return }
    empty(lock.descriptor)
    rmdir(path.string)
  }

  private static func removeFile(_ path: FilePath) {
    let descriptor = open(path.string, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid(),
      flock(descriptor, LOCK_EX | LOCK_NB) == 0
    else { return }
    // Before it was locked, its process may have moved the file to its final name, and another file may have got this name.
    if lstat(path.string, &named) == 0, named.st_dev == opened.st_dev, named.st_ino == opened.st_ino { unlink(path.string) }
  }

  /// Removes a folder and its content, even if another user owns it, without following links. Ignores failures.
  package static func removeTree(_ path: FilePath) {
    let descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    empty(descriptor)
    close(descriptor)
    rmdir(path.string)
  }

  /// Removes a folder's content without following links. Each name is looked up in the open folder.
  private static func empty(_ folder: CInt) {
    let opened = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for name in FolderNames(descriptor: opened)?.names ?? [] {
      if unlinkat(folder, name, 0) == 0 { continue }
      let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else { continue }
      empty(inner)
      close(inner)
      _ = unlinkat(folder, name, AT_REMOVEDIR)
    }
  }
}
