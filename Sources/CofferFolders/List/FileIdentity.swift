import Platform
import SystemPackage

/// Identifies a file and its state. If the identity of a name differs, it is another file, or was written to.
struct FileIdentity: Hashable, Sendable {
  enum Kind: Sendable { case file, folder, link, other }

  let kind: Kind
  let device: UInt64
  let number: UInt64
  let size: Int
  /// The modification time.
  let seconds: Int64
  let nanoseconds: Int64

  /// Looks up the name without following links. Returns `nil` and sets `errno` if it doesn't exist or the lookup fails.
  ///
  /// - Parameter folder: an open folder's descriptor.
  init?(_ name: String, in folder: CInt) {
    var information = stat()
    guard fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    kind =
      switch information.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    device = UInt64(truncatingIfNeeded: information.st_dev)
    number = UInt64(truncatingIfNeeded: information.st_ino)
    size = Int(information.st_size)
    let time = information.modificationTime
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }
}
