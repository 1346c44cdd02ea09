import Coffer
import SystemPackage

/// Where a command writes: a file that appears whole or not at all, or standard output, a device, a named pipe, which take bytes as they come.
enum OutputFile: ByteSink {
  case file(AtomicFile)
  case stream(FileSink)

  /// - Parameter path: `-` is standard output.
  init(_ path: String, existing: AtomicFile.Existing) throws(ByteStreamError) {
    if path == "-" {
      self = .stream(.standardOutput)
    } else if let stream = try FileSink(streamAt: FilePath(path)) {
      self = .stream(stream)
    } else {
      self = .file(try AtomicFile(replacing: FilePath(path), existing: existing))
    }
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    switch self {
    case .file(let file): try file.write(bytes)
    case .stream(var sink): try sink.write(bytes)
    }
  }

  /// Puts the file in its place.
  func commit() throws(ByteStreamError) {
    if case .file(let file) = self { try file.commit() }
  }
}
