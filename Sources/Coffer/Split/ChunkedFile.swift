import ByteStreams
import CompressedStreams
import Foundation
import LZ4Streams

/// Writes values of unknown length as LZ4 data, so that damage and truncation are errors.
///
///     | value | value | …
///       a value: chunks and an empty chunk; a chunk: length, 4 bytes | bytes
struct ChunkedWriter<Sink: ByteSink> {
  private var writer: LZ4StreamWriter<Sink>

  init(to sink: Sink) { writer = LZ4StreamWriter(to: sink) }

  mutating func write(
    _ body: (inout ChunkSink<LZ4StreamWriter<Sink>>) throws(CofferError) -> Void
  ) throws(CofferError) {
    var chunks = ChunkSink(writer)
    try body(&chunks)
    writer = try chunks.finish()
  }

  mutating func write(json value: some Encodable) throws(CofferError) {
    try write { sink throws(CofferError) in try sink.write(value.sortedJSON) }
  }

  /// Ends the file, and returns the sink.
  mutating func finish() throws(CofferError) -> Sink {
    try writer.finish()
    return writer.sink
  }
}

/// Writes bytes of unknown length in chunks.
struct ChunkSink<Sink: ByteSink>: ByteSink {
  private var sink: Sink
  private var chunk: [UInt8] = []
  private static var size: Int { 1 << 16 }

  fileprivate init(_ sink: Sink) { self.sink = sink }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    chunk += bytes
    if chunk.count >= Self.size { try endChunk() }
  }

  private mutating func endChunk() throws(CofferError) {
    try sink.write((0..<4).map { UInt8(truncatingIfNeeded: chunk.count >> (8 * $0)) })
    try sink.write(chunk)
    chunk.removeAll(keepingCapacity: true)
  }

  /// Ends the chunks, and returns the sink.
  fileprivate mutating func finish() throws(CofferError) -> Sink {
    if !chunk.isEmpty { try endChunk() }
    try endChunk()
    return sink
  }
}

/// Reads the values that a `ChunkedWriter` wrote.
struct ChunkedReader {
  private var source: any ByteSource
  private let name: String
  /// The error for damage.
  private let damaged: CofferError

  /// The largest JSON that is read.
  private static let limit = 1 << 30

  /// - Parameters:
  ///   - name: the file's name in errors.
  ///   - damaged: the error to throw if the bytes are not what a `ChunkedWriter` wrote.
  init(_ source: some ByteSource, named name: String, damaged: CofferError) throws(CofferError) {
    do throws(CofferError) { self.source = try Decompression(source).source } catch { throw error.inDocument(name) }
    self.name = name
    self.damaged = damaged
  }

  /// Reads the next value. `body` need not read all of it.
  mutating func read<R: ~Copyable>(_ body: (inout any ByteSource) throws(CofferError) -> R) throws(CofferError) -> R {
    do throws(CofferError) {
      var chunks: any ByteSource = ChunkSource(source)
      let result = try body(&chunks)
      guard var rest = chunks as? ChunkSource else { preconditionFailure("the source was replaced") }
      source = try rest.finish()
      return result
    } catch {
      throw error.code == .damagedPartial ? damaged : error.inDocument(name)
    }
  }

  mutating func readJSON<Value: Decodable>() throws(CofferError) -> Value {
    let json = try read { chunks throws(CofferError) in try chunks.readPrefix(Self.limit) }
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(json)) else { throw damaged }
    return value
  }

  /// Reads the end, where the checksum of all data is.
  mutating func finish() throws(CofferError) {
    let rest: [UInt8]
    do throws(CofferError) { rest = try source.readPrefix(1) } catch { throw error.inDocument(name) }
    guard rest.isEmpty else { throw damaged }
  }
}

/// Reads chunks up to an empty one.
private struct ChunkSource: ByteSource {
  private var source: any ByteSource
  /// The number of bytes of the current chunk that have not been read.
  private var rest = 0
  private var isAtEnd = false

  init(_ source: any ByteSource) { self.source = source }

  /// - Throws: `damagedPartial` if the bytes end before the last chunk does.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if isAtEnd { return 0 }
    if rest == 0 {
      let length = try source.readPrefix(4)
      rest = length.reversed().reduce(0) { $0 << 8 | Int($1) }
      guard length.count == 4 else { throw .damagedPartial }
      isAtEnd = rest == 0
      if isAtEnd { return 0 }
    }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest)))
    if count == 0 { throw .damagedPartial }
    rest -= count
    return count
  }

  /// Reads the rest of the chunks, and returns what follows them.
  mutating func finish() throws(CofferError) -> any ByteSource {
    while try !readPrefix(1 << 16).isEmpty {}
    return source
  }
}
