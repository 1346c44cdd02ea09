import ByteStreams
import CompressedStreams
import Findings
import Foundation
import JSONEvents
import LZ4Streams
import Rules

/// The result of a task, or of several, on its way to the merging process: LZ4 data, so that damage and truncation are errors.
///
///     | head | part | content | part | content | …
///     |<-     each: chunks and an empty chunk; a chunk: length, 4 bytes | bytes
///
/// Heads and parts are JSON. The content of a part is an encoded `CollectionPartial`; that of a whole file is its report, as JSON. The
/// bytes depend only on the plan and on the documents.
enum PartialFile {
  struct Head: Codable {
    var formatVersion = 1
    /// The SHA-256 digest of the plan.
    var plan: String
    /// The numbers of the tasks: consecutive ones.
    var tasks: [Int]
    /// The number of parts.
    var partCount: Int
    /// True if the operations on keys are in it. Otherwise, they were written as rows.
    var hasKeys: Bool
  }

  struct Part: Codable {
    /// The part of the plan.
    var part: SplitPlan.Part
    /// The place up to which it was evaluated, if that isn't its end: the rest is malformed, or exceeds a limit.
    var reached: SplitPlan.Mark?
  }
}

/// Writes a partial file, part by part.
extension ChunkedWriter {
  init(_ head: PartialFile.Head, to sink: Sink) throws(CofferError) {
    self.init(to: sink)
    try write(json: head)
  }

  /// Writes a part whose content follows.
  mutating func begin(_ part: SplitPlan.Part, reached: SplitPlan.Mark?) throws(CofferError) {
    try write(json: PartialFile.Part(part: part, reached: reached))
  }

  mutating func write(_ partial: consuming CollectionPartial) throws(CofferError) {
    var partial = partial
    try write { sink throws(CofferError) in try partial.encode(to: &sink) }
  }
}

/// Reads a partial file, part by part.
final class PartialFileReader {
  /// The file's name in errors.
  let name: String
  let head: PartialFile.Head
  private var file: ChunkedReader
  /// The number of parts that have not been read.
  private var rest: Int
  private var isBeforeContent = false

  /// - Throws: `damagedPartial` if it isn't a partial file; errors of reading and of LZ4 data.
  init(_ source: some ByteSource, named name: String) throws(CofferError) {
    self.name = name
    file = try ChunkedReader(source, named: name, damaged: Self.damaged(name))
    head = try file.readJSON()
    rest = head.partCount
    guard head.formatVersion == 1, rest >= 0 else { throw Self.damaged(name) }
  }

  /// Returns the next part, or `nil` at the end of an undamaged file. The content of the part before is skipped if it wasn't read.
  func next() throws(CofferError) -> PartialFile.Part? {
    if isBeforeContent { try file.read { _ throws(CofferError) in } }
    isBeforeContent = false
    if rest == 0 {
      try file.finish()
      return nil
    }
    rest -= 1
    isBeforeContent = true
    return try file.readJSON()
  }

  /// Reads the content of a part of a collection.
  func partial(
    _ decode: (inout any ByteSource) throws(CofferError) -> CollectionPartial
  ) throws(CofferError) -> CollectionPartial {
    isBeforeContent = false
    return try file.read(decode)
  }

  /// Reads the content of a whole file.
  func report() throws(CofferError) -> ValidationReport {
    isBeforeContent = false
    return try (file.readJSON() as WholeReport).report
  }

  /// Returns the error with the name of this file, if it says that the content is damaged.
  func naming(_ error: CofferError) -> CofferError { error.code == .damagedPartial ? Self.damaged(name) : error }

  static func damaged(_ name: String) -> CofferError {
    CofferError(.damagedPartial, "\(name) is not a partial result, or is damaged")
  }
}

/// The report on a whole file, with what the JSON of a report leaves out.
struct WholeReport: Codable {
  private(set) var report: ValidationReport
  private enum CodingKeys: CodingKey { case report, mayNeedEach, inputOffset, entry }

  init(_ report: ValidationReport) { self.report = report }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(report, forKey: .report)
    if report.mayNeedEach { try members.encode(true, forKey: .mayNeedEach) }
    try members.encodeIfPresent(report.error?.place.inputOffset, forKey: .inputOffset)
    try members.encodeIfPresent(report.error?.place.entry, forKey: .entry)
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    report = try members.decode(ValidationReport.self, forKey: .report)
    report.mayNeedEach = try members.decodeIfPresent(Bool.self, forKey: .mayNeedEach) ?? false
    guard var error = report.error else { return }
    error.place.inputOffset = try members.decodeIfPresent(Int.self, forKey: .inputOffset)
    error.place.entry = try members.decodeIfPresent(String.self, forKey: .entry)
    report.error = error
  }
}

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
