import Platform
import SystemPackage

/// The properties of a regular file that change with its content: size and modification time.
struct FileStamp: Equatable {
  let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// Returns `nil` if this is not a regular file.
  init?(_ descriptor: FileDescriptor) {
    var information = stat()
    guard fstat(descriptor.rawValue, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int(information.st_size)
    let time = information.modificationTime
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}

extension CofferError {
  static func changed(_ name: String) -> CofferError {
    CofferError(.inputChanged, "\(name) changed while it was being read")
  }
}
