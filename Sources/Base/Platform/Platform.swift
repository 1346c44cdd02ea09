// The system's C library under one name.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif

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
