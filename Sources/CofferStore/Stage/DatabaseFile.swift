package import ByteStreams
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is done to a database's file beside SQLite's own work.
package enum DatabaseFile {
  /// Removes a database that nobody has open, with what SQLite keeps beside it. What isn't there is gone already.
  ///
  /// - Returns: whether there was any of it.
  @discardableResult
  package static func remove(_ path: FilePath) throws(ByteStreamError) -> Bool {
    var wasThere = false
    for suffix in ["-journal", "-wal", "-shm", ""] {
      if unlink(path.string + suffix) == 0 {
        wasThere = true
      } else if errno != ENOENT {
        throw ByteStreamError(Errno(rawValue: errno), verb: "remove", name: path.string + suffix)
      }
    }
    return wasThere
  }

  /// Has the system write a file's content to the disk.
  package static func sync(_ path: FilePath) throws(ByteStreamError) {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "open", name: path.string) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "sync", name: path.string) }
  }
}
