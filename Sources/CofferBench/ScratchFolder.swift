package import ByteStreams
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder for what is needed only meanwhile: the one owner of it, with which it goes, whatever is in it.
///
/// Only a process that is killed leaves it behind, and the next one that makes one there removes it (`Leftovers`).
package struct ScratchFolder: ~Copyable {
  package let path: FilePath
  private let lock: FolderLock

  /// Makes it within another.
  ///
  /// - Throws: `ByteStreamError`: `notFound`, `permissionDenied` or `noSpace` for the folder around it.
  package init(within folder: FilePath) throws(ByteStreamError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: folder, permissions: .ownerReadWriteExecute)
    } catch {
      throw ByteStreamError(error, verb: "make a folder in", name: folder.string)
    }
  }

  deinit { Self.remove(path) }

  /// How many bytes a user without privileges may still write there.
  ///
  /// - Throws: `ByteStreamError` if the system doesn't say.
  package func availableBytes() throws(ByteStreamError) -> Int {
    var information = statvfs()
    guard statvfs(path.string, &information) == 0 else {
      throw ByteStreamError(Errno(rawValue: errno), verb: "look at", name: path.string)
    }
    let (bytes, isHuge) = UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
    return isHuge ? .max : Int(clamping: bytes)
  }

  /// Makes a folder in it, in place of what has that name.
  ///
  /// - Throws: `ByteStreamError` if that isn't possible.
  package func empty(_ folder: FilePath) throws(ByteStreamError) {
    Self.remove(folder)
    guard mkdir(folder.string, 0o700) == 0 else {
      throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: folder.string)
    }
  }

  /// Removes a folder with all that is in it, following no link. What can't be removed stays.
  private static func remove(_ folder: FilePath) { try? FileManager.default.removeItem(atPath: folder.string) }
}
