package import ByteStreams
import CompressedStreams
import Platform
package import SystemPackage
import ZIPArchives

/// The storage form of a backup, which determines the possible steps.
package enum DocumentKind: String, Sendable, CaseIterable {
  case json
  case lz4
  case gzip
  case zstd
  case zip

  /// True for compressed documents.
  package var isCompressed: Bool { self == .lz4 || self == .gzip || self == .zstd }

  private init(_ compression: CompressionFormat?) {
    self =
      switch compression {
      case nil: .json
      case .lz4: .lz4
      case .gzip: .gzip
      case .zstd: .zstd
      }
  }

  /// Detects the kind from a file's first four bytes.
  ///
  /// - Throws: `CofferError` if the file can't be opened or read, or isn't a regular file.
  package init(ofFileAt path: FilePath) throws(CofferError) {
    var information = stat()
    // Opening a named pipe would block until it has a writer.
    if stat(path.string, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      throw CofferError(.alreadyRead, "\(path) is not a regular file, so it can't be read repeatedly")
    }
    var start = try FileSource(path: path)
    if ZIPReader.isArchive(try start.readPrefix(4)) {
      self = .zip
    } else {
      self = Self(try Decompression(try FileSource(path: path)).format)
    }
  }
}
