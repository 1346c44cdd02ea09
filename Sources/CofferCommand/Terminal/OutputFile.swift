import ByteStreams
import Coffer
import Platform
import SystemPackage

/// Where a command writes: a file that appears whole or not at all, or standard output, a device, a named pipe, which take bytes as they come.
enum OutputFile: ByteSink {
  case file(AtomicFile)
  case stream(FileSink)
  /// Standard output where a person looks at it.
  case terminal(FileSink, isAtLineStart: Bool)

  /// - Parameter path: `-` is standard output.
  init(_ path: String, existing: AtomicFile.Existing) throws(ByteStreamError) {
    if path == "-" {
      self = Terminal.isOpen(\.output) ? .terminal(.standardOutput, isAtLineStart: true) : .stream(.standardOutput)
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
    case .terminal(var sink, _):
      guard let last = bytes.last else { return }
      try sink.write(bytes)
      self = .terminal(sink, isAtLineStart: last == UInt8(ascii: "\n"))
    }
  }

  /// Puts the file in its place. On a terminal, what follows begins a line of its own.
  func commit() throws(ByteStreamError) {
    switch self {
    case .file(let file): try file.commit()
    case .stream, .terminal(_, isAtLineStart: true): break
    case .terminal(var sink, isAtLineStart: false): try sink.write("\n")
    }
  }
}
