// The system's C library under one name.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif

extension stat {
  /// The time of the last modification, under one name.
  package var modificationTime: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }

  /// The time of the last change of the content or the properties, under one name.
  package var changeTime: timespec {
    #if canImport(Darwin)
      st_ctimespec
    #else
      st_ctim
    #endif
  }
}

#if os(Linux)
  private import CSyncFS

  /// Writes a file system to the disk.
  ///
  /// - Parameter descriptor: any file or folder of it.
  package func syncFileSystem(of descriptor: CInt) { _ = syncfs(descriptor) }
#else
  /// Does nothing: the system can't write a file system to the disk.
  package func syncFileSystem(of descriptor: CInt) {}
#endif
