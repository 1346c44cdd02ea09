package import ByteStreams
import Platform
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A temporary folder. This value is its only owner, and removes it with its contents when it is destroyed.
///
/// Only a killed process leaves it behind; the next one that creates a scratch folder in the same place removes it (`Leftovers`).
package struct ScratchFolder: ~Copyable {
  package let path: FilePath
  private let lock: FolderLock

  /// Creates the folder within another.
  ///
  /// - Throws: `CofferError`: `notFound`, `permissionDenied` or `noSpace` for the parent folder.
  package init(within folder: FilePath) throws(CofferError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: folder, permissions: .ownerReadWriteExecute)
    } catch {
      throw CofferError(error, verb: "make a folder in", name: folder.string)
    }
  }

  deinit { Self.remove(path) }

  /// Returns the free space for unprivileged users, in bytes.
  ///
  /// - Throws: `CofferError` if the system can't report it.
  package func availableBytes() throws(CofferError) -> Int {
    var information = statvfs()
    guard statvfs(path.string, &information) == 0 else {
      throw CofferError(Errno(rawValue: errno), verb: "look at", name: path.string)
    }
    let (bytes, isHuge) = UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
    return isHuge ? .max : Int(clamping: bytes)
  }

  /// Creates an empty folder, replacing any existing one.
  ///
  /// - Throws: `CofferError` if that isn't possible.
  package func empty(_ folder: FilePath) throws(CofferError) {
    Self.remove(folder)
    guard mkdir(folder.string, 0o700) == 0 else {
      throw CofferError(Errno(rawValue: errno), verb: "make", name: folder.string)
    }
  }

  /// Removes a folder with its contents, without following links. Errors are ignored.
  private static func remove(_ folder: FilePath) { try? FileManager.default.removeItem(atPath: folder.string) }
}
