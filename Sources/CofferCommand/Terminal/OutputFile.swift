import ByteStreams
import Coffer
import Platform
import SystemPackage

/// The output of a command: a file that appears complete or not at all, or a stream (standard output, a device, a named pipe).
enum OutputFile: ByteSink {
  case file(AtomicFile)
  case stream(FileSink)
  /// Standard output on a terminal.
  case terminal(FileSink, isAtLineStart: Bool)

  /// - Parameter path: `-` is standard output.
  init(_ path: String, existing: AtomicFile.Existing) throws(CofferError) {
    if path == "-" {
      self = Terminal.isOpen(\.output) ? .terminal(.standardOutput, isAtLineStart: true) : .stream(.standardOutput)
    } else if let stream = try FileSink(streamAt: FilePath(path)) {
      self = .stream(stream)
    } else {
      self = .file(try AtomicFile(FilePath(path), existing: existing))
    }
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    switch self {
    case .file(let file): try file.write(bytes)
    case .stream(var sink): try sink.write(bytes)
    case .terminal(var sink, _):
      guard let last = bytes.last else { return }
      try sink.write(bytes)
      self = .terminal(sink, isAtLineStart: last == UInt8(ascii: "\n"))
    }
  }

  /// Moves the file into place. On a terminal, ends the last line.
  func commit() throws(CofferError) {
    switch self {
    case .file(let file): try file.commit()
    case .stream, .terminal(_, isAtLineStart: true): break
    case .terminal(var sink, isAtLineStart: false): try sink.write("\n")
    }
  }
}
