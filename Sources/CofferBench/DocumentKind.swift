package import ByteStreams
import LZ4Streams
package import SystemPackage
import ZIPArchives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How a backup is stored, which decides what can be done with it.
package enum DocumentKind: String, Sendable, CaseIterable {
  case json
  case lz4
  case zip

  /// Tells it by a file's first four bytes.
  ///
  /// - Throws: `ByteStreamError` if the file can't be opened or read, or can be read only once.
  package init(ofFileAt path: FilePath) throws(ByteStreamError) {
    var information = stat()
    // A named pipe would not even be opened before somebody writes.
    if stat(path.string, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      throw ByteStreamError(code: .alreadyRead, message: "\(path) is no file that can be read again and again")
    }
    var start = try FileSource(path: path)
    if ZIPReader.isArchive(try start.readPrefix(4)) {
      self = .zip
    } else {
      self = try LZ4Source.detecting(try FileSource(path: path)) is LZ4Source ? .lz4 : .json
    }
  }
}
