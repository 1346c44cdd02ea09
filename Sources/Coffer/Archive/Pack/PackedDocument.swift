import ByteStreams
import SystemPackage

/// The document that an archive is made around: in a file, or written a moment ago.
struct PackedDocument {
  private let content: Content
  /// Its name in messages.
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

  /// Its bytes, from their start.
  func source(_ cancellation: Cancellation?) throws(ByteStreamError) -> any ByteSource {
    switch content {
    case .file(let path): try FileSource(path: path, cancellation: cancellation)
    case .stored(let bytes): StoredSource(bytes)
    }
  }
}
