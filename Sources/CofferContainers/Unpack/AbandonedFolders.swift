import ByteStreams
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What processes that were killed have left of folders that they filled.
///
///     .coffer-4711-0.tmp      process 4711, its first folder; locked as long as that lives
///
/// Whether it lives is told by the lock alone, which ends with the process: numbers of processes come again, and mean another one in another container
/// or on another machine that has the disk.
package enum AbandonedFolders {
  /// What a folder of this process is called until it is whole.
  static func name(_ number: Int) -> String { ".coffer-\(getpid())-\(number).tmp" }

  /// Removes those in a folder that are this user's and nobody's any more. What can't be removed is left to the next.
  package static func remove(in folder: FilePath) {
    let folder = folder.isEmpty ? "." : folder
    for name in FolderNames(folder)?.names ?? [] where isName(name) {
      let path = folder.appending(name)
      guard let lock = FolderLock(path), lock.isLocked, lock.holds(path) else { continue }
      var information = stat()
      guard fstat(lock.descriptor, &information) == 0, information.st_uid == geteuid() else { continue }
      empty(lock.descriptor)
      rmdir(path.string)
    }
  }

  /// Removes a folder with all that is in it, following no link, whoever it belongs to. What can't be removed stays.
  package static func removeTree(_ path: FilePath) {
    let descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    empty(descriptor)
    close(descriptor)
    rmdir(path.string)
  }

  private static func isName(_ name: String) -> Bool {
    guard name.hasPrefix(".coffer-"), name.hasSuffix(".tmp") else { return false }
    let numbers = name.dropFirst(8).dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { UInt32($0) != nil }
  }

  /// Removes all that is in a folder, following no link; each name is looked up in the folder that is open.
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
