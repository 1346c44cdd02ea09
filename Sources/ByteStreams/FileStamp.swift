import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What of a regular file changes with its content: the size, and the time of the last change.
struct FileStamp: Equatable {
  let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// `nil` of what is no regular file.
  init?(_ descriptor: FileDescriptor) {
    var information = stat()
    guard fstat(descriptor.rawValue, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int(information.st_size)
    #if canImport(Darwin)
      let time = information.st_mtimespec
    #else
      let time = information.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}

extension ByteStreamError {
  static func changed(_ name: String) -> ByteStreamError {
    ByteStreamError(code: .inputChanged, message: "\(name) was changed while it was read")
  }
}
