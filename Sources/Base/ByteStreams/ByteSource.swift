/// A sequence of bytes that can be read once: a file, standard input, memory.
///
/// One consumer reads a source from start to end; a source can't be rewound.
public protocol ByteSource {
  /// Fills the front of `buffer` and returns the number of bytes read: 0 only at the end of the input.
  ///
  /// Blocks until at least one byte is available. `buffer` is never empty.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int
}

extension ByteSource {
  /// Reads `length` bytes, or fewer if the source ends first. The memory is proportional to what was read.
  package mutating func readPrefix(_ length: Int) throws(CofferError) -> [UInt8] {
    var prefix = [UInt8](repeating: 0, count: min(length, 1 << 13))
    var count = 0
    while count < length {
      if count == prefix.count { prefix.append(contentsOf: repeatElement(0, count: min(length - count, count))) }
      let more = try prefix.withUnsafeMutableBufferPointer { bytes throws(CofferError) in
        try self.read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[count...])))
      }
      if more == 0 { break }
      count += more
    }
    prefix.removeLast(prefix.count - count)
    return prefix
  }
}

/// A source of bytes in memory, read in pieces of at most `chunkSize`.
public struct MemorySource: ByteSource, Sendable {
  private let bytes: [UInt8]
  private let chunkSize: Int
  private var position = 0

  /// - Parameters:
  ///   - bytes: the content.
  ///   - chunkSize: the largest number of bytes per read, at least 1. Small sizes are for tests of the layers above.
  public init(_ bytes: some Sequence<UInt8>, chunkSize: Int = .max) {
    precondition(chunkSize > 0, "the chunk size must be positive")
    self.bytes = Array(bytes)
    self.chunkSize = chunkSize
  }

  /// All bytes, if none has been read and reads may return all of them.
  var unread: [UInt8]? { position == 0 && chunkSize == .max ? bytes : nil }

  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = min(buffer.count, chunkSize, bytes.count - position)
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[position..<position + count]))
    }
    position += count
    return count
  }
}

/// The bytes already read from a source, followed by the rest of it.
///
/// Code that inspects the start of a stream passes on the whole stream through this source.
package struct PrefixedSource: ByteSource {
  private var prefix: MemorySource
  private var rest: any ByteSource
  /// True if the rest has ended.
  private let isWhole: Bool

  /// - Parameter isWhole: true if the source ended when the bytes were read; it is not asked again.
  package init(prefix: [UInt8], rest: any ByteSource, isWhole: Bool = false) {
    self.prefix = MemorySource(prefix)
    self.rest = rest
    self.isWhole = isWhole
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try prefix.read(into: buffer)
    return count > 0 || isWhole ? count : try rest.read(into: buffer)
  }
}

extension PrefixedSource: ChecksummedSource {
  package mutating func damage(within limit: Int) -> CofferError? {
    guard var source = rest as? any ChecksummedSource else { return nil }
    defer { rest = source }
    return source.damage(within: limit)
  }
}

/// A source that reports its progress.
package struct MeteredSource: ByteSource {
  private var source: any ByteSource
  private let progress: WorkProgress

  package init(_ source: any ByteSource, _ progress: WorkProgress) {
    self.source = source
    self.progress = progress
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    progress.add(bytes: count)
    return count
  }
}

extension ByteSource {
  /// The source, whose bytes `progress` counts.
  package func metered(by progress: WorkProgress?) -> any ByteSource { progress.map { MeteredSource(self, $0) } ?? self }
}

/// A sink that reports its progress.
package struct MeteredSink<Sink: ByteSink>: ByteSink {
  package private(set) var sink: Sink
  private let progress: WorkProgress

  package init(_ sink: Sink, _ progress: WorkProgress) {
    self.sink = sink
    self.progress = progress
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try sink.write(bytes)
    progress.add(bytes: bytes.count)
  }
}

/// A source that verifies checksums, each of which follows its bytes.
///
/// So it may return damaged bytes before it detects the damage, and a reader may report them as malformed JSON.
package protocol ChecksummedSource: ByteSource {
  /// Reads on to the next checksum, but at most `limit` bytes. Returns the error if it doesn't match; otherwise `nil`, even if there
  /// is none that close.
  mutating func damage(within limit: Int) -> CofferError?
}
