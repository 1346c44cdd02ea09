import ByteStreams
import Platform
import SystemPackage

/// The document to pack: in a file, or just written.
struct PackedDocument {
  private let content: Content
  /// The name in messages.
  let name: String

  private enum Content {
    case file(FilePath)
    case stored(StoredBytes)
  }

  init(_ path: FilePath) {
    content = .file(path)
    name = path.string
  }

  init(_ bytes: StoredBytes, named name: String) {
    content = .stored(bytes)
    self.name = name
  }

  /// The number of its bytes, or `nil` if it is unknown.
  var byteCount: Int? {
    switch content {
    case .file(let path):
      var information = stat()
      return stat(path.string, &information) == 0 ? Int(information.st_size) : nil
    case .stored(let bytes): return bytes.byteCount
    }
  }

  /// Returns the document's bytes, from the start.
  func source(_ cancellation: Cancellation?) throws(CofferError) -> any ByteSource {
    switch content {
    case .file(let path): try FileSource(path: path, cancellation: cancellation)
    case .stored(let bytes): StoredSource(bytes)
    }
  }
}
