import ByteStreams
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
  }

  struct Part: Codable {
    /// The part of the plan.
    var part: SplitPlan.Part
    /// The place up to which it was evaluated, if that isn't its end: the rest is malformed, or exceeds a limit.
    var reached: SplitPlan.Mark?
  }
}

/// Writes a partial file, part by part.
struct PartialFileWriter<Sink: ByteSink> {
  private var writer: LZ4StreamWriter<Sink>

  init(_ head: PartialFile.Head, to sink: Sink) throws(CofferError) {
    writer = LZ4StreamWriter(to: sink)
    try write(json: head)
  }

  /// Writes a part whose content follows.
  mutating func begin(_ part: SplitPlan.Part, reached: SplitPlan.Mark?) throws(CofferError) {
    try write(json: PartialFile.Part(part: part, reached: reached))
  }

  mutating func write(_ partial: consuming CollectionPartial) throws(CofferError) {
    var partial = partial
    var chunks = ChunkSink(writer)
    try partial.encode(to: &chunks)
    writer = try chunks.finish()
  }

  mutating func write(_ report: WholeReport) throws(CofferError) { try write(json: report) }

  /// Ends the file, and returns the sink.
  mutating func finish() throws(CofferError) -> Sink {
    try writer.finish()
    return writer.sink
  }

  private mutating func write(json value: some Encodable) throws(CofferError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(value) else { preconditionFailure("numbers and strings can be encoded") }
    var chunks = ChunkSink(writer)
    try chunks.write(Array(json))
    writer = try chunks.finish()
  }
}

/// Writes bytes of unknown length in chunks.
private struct ChunkSink<Sink: ByteSink>: ByteSink {
  private var sink: Sink
  private var chunk: [UInt8] = []
  private static var size: Int { 1 << 16 }

  init(_ sink: Sink) { self.sink = sink }

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
  mutating func finish() throws(CofferError) -> Sink {
    if !chunk.isEmpty { try endChunk() }
    try endChunk()
    return sink
  }
}

/// Reads chunks up to an empty one.
private struct ChunkSource: ByteSource {
  private(set) var source: any ByteSource
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
      guard length.count == 4 else { throw PartialFileReader.damaged("this") }
      isAtEnd = rest == 0
      if isAtEnd { return 0 }
    }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest)))
    if count == 0 { throw PartialFileReader.damaged("this") }
    rest -= count
    return count
  }

  /// Reads the rest of the chunks, and returns what follows them.
  mutating func finish() throws(CofferError) -> any ByteSource {
    while try !readPrefix(1 << 16).isEmpty {}
    return source
  }
}

/// Reads a partial file, part by part.
final class PartialFileReader {
  /// The file's name in errors.
  let name: String
  let head: PartialFile.Head
  private var source: any ByteSource
  /// The number of parts that have not been read.
  private var rest: Int
  private var isBeforeContent = false

  /// The largest JSON that is read.
  private static let limit = 1 << 30

  /// - Throws: `damagedPartial` if it is no partial file; errors of reading and of LZ4 data.
  init(_ source: some ByteSource, named name: String) throws(CofferError) {
    self.name = name
    var source = try LZ4Source.detecting(source)
    head = try Self.readJSON(from: &source, name)
    self.source = source
    rest = head.partCount
    guard head.formatVersion == 1, rest >= 0 else { throw Self.damaged(name) }
  }

  /// Returns the next part, or `nil` at the end of an undamaged file. The content of the part before is skipped if it wasn't read.
  func next() throws(CofferError) -> PartialFile.Part? {
    if isBeforeContent { try withContent { _ throws(CofferError) in } }
    if rest == 0 {
      // The checksum of all data is at its end.
      guard try source.readPrefix(1).isEmpty else { throw Self.damaged(name) }
      return nil
    }
    rest -= 1
    isBeforeContent = true
    return try Self.readJSON(from: &source, name)
  }

  /// Reads the content of a part of a collection.
  func partial(
    _ decode: (inout any ByteSource) throws(CofferError) -> CollectionPartial
  ) throws(CofferError) -> CollectionPartial {
    try withContent(decode)
  }

  /// Reads the content of a whole file.
  func report() throws(CofferError) -> ValidationReport {
    isBeforeContent = false
    return try (Self.readJSON(from: &source, name) as WholeReport).report
  }

  private func withContent<R: ~Copyable>(_ read: (inout any ByteSource) throws(CofferError) -> R) throws(CofferError) -> R {
    isBeforeContent = false
    do throws(CofferError) {
      var chunks: any ByteSource = ChunkSource(source)
      let result = try read(&chunks)
      guard var rest = chunks as? ChunkSource else { preconditionFailure("the source was replaced") }
      source = try rest.finish()
      return result
    } catch {
      throw naming(error)
    }
  }

  /// Returns the error with the name of this file, if it says that the content is damaged.
  func naming(_ error: CofferError) -> CofferError { error.code == .damagedPartial ? Self.damaged(name) : error }

  private static func readJSON<Value: Decodable>(from source: inout any ByteSource, _ name: String) throws(CofferError) -> Value {
    do {
      var chunks = ChunkSource(source)
      let json = try chunks.readPrefix(limit)
      source = try chunks.finish()
      if let value = try? JSONDecoder().decode(Value.self, from: Data(json)) { return value }
    } catch {
      if error.code != .damagedPartial { throw error }
    }
    throw damaged(name)
  }

  static func damaged(_ name: String) -> CofferError {
    CofferError(.damagedPartial, "\(name) is not a partial result of coffer validate --partial, or is damaged")
  }
}

/// The report on a whole file, with what the JSON of a report leaves out.
struct WholeReport: Codable {
  private struct Count: Codable {
    let severity: Severity
    let code: String
    let count: Int
  }

  private(set) var report: ValidationReport
  private enum CodingKeys: CodingKey { case report, counts, inputOffset, entry }

  init(_ report: ValidationReport) { self.report = report }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(report, forKey: .report)
    let counts = report.counts.byRule.sorted { $0.key < $1.key }
    try members.encode(
      counts.map { Count(severity: $0.key.severity, code: $0.key.code, count: $0.value) }, forKey: .counts)
    try members.encodeIfPresent(report.error?.place.inputOffset, forKey: .inputOffset)
    try members.encodeIfPresent(report.error?.place.entry, forKey: .entry)
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    report = try members.decode(ValidationReport.self, forKey: .report)
    var counts = FindingCounts()
    for count in try members.decode([Count].self, forKey: .counts) where (0...1 << 53).contains(count.count) {
      counts.add(count.count, severity: count.severity, code: count.code)
    }
    report.counts = counts
    guard var error = report.error else { return }
    error.place.inputOffset = try members.decodeIfPresent(Int.self, forKey: .inputOffset)
    error.place.entry = try members.decodeIfPresent(String.self, forKey: .entry)
    report.error = error
  }
}
