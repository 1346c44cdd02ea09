public import ByteStreams
import JSONEvents
import LZ4Streams
import SystemPackage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes a backup a record at a time, however many there are.
///
/// For example:
///
///     var writer = try BackupWriter(path: "export.json")
///     try writer.write(9, as: "version")
///     try writer.beginCollection("expenses")
///     for expense in expenses { try writer.append(expense) }
///     try writer.finish()                 // {"version":9,"expenses":[{…},{…}]}
///
/// The file appears, complete, when ``finish()`` returns. If the writer is released before, an existing file stays as it is.
///
/// Numbers are written digit for digit as the encoder spells them. A value that can't be encoded throws, and nothing of it is written. Calls in an
/// invalid order (a record outside a collection) are a programmer's mistake and trap.
///
/// Time: the encoder's, and one pass over what it gives. Memory: one record, and about 128 KiB. Writing blocks as files do.
public struct BackupWriter<Sink: ByteSink>: ~Copyable {
  private var output: CompressibleOutput<Sink>
  private let shape: BackupWriterOptions.Shape
  private let encoder: JSONEncoder
  private var json: JSONEventWriter
  private var isInCollection: Bool
  /// The sink's error: the text that it refused is lost.
  private var failure: ByteStreamError?

  /// Writes to a sink of your own, which gets all bytes in order.
  ///
  /// - Parameters:
  ///   - sink: where the bytes go.
  ///   - encoder: encodes the values; how it would lay them out doesn't matter, ``BackupWriterOptions/layout`` does.
  ///   - options: what the document looks like.
  public init(to sink: Sink, encoder: JSONEncoder = JSONEncoder(), options: BackupWriterOptions = BackupWriterOptions()) {
    let shape = options.shape ?? .object
    precondition(shape != .lines || options.layout == .compact, "a record has one line")
    self.shape = shape
    output = CompressibleOutput(sink, compression: options.compression)
    self.encoder = encoder
    json = JSONEventWriter(layout: options.layout, slashes: options.slashes)
    switch shape {
    case .object: json.beginObject()
    case .array: json.beginArray()
    case .lines: break
    }
    isInCollection = shape != .object
  }

  // MARK: Members

  /// Writes a member of the root object, after the open collection, which ends.
  ///
  /// - Throws: `EncodingError`, or what else the value throws; `JSONReadError` if it is nested more than some 120 levels deep; `ByteStreamError`.
  public mutating func write(_ value: some Encodable, as name: String) throws {
    precondition(shape == .object, "only objects have members")
    let text = try encoded(value)
    try endCollection()
    json.key(name)
    try splice(text)
    try drain()
  }

  /// Begins a member of the root object that is an array of records, after the open collection, which ends.
  public mutating func beginCollection(_ name: String) throws {
    precondition(shape == .object, "only objects have members")
    try endCollection()
    json.key(name)
    json.beginArray()
    isInCollection = true
    try drain()
  }

  /// Adds a record to the collection that is open: the root, unless that is an object.
  ///
  /// - Throws: as ``write(_:as:)``.
  public mutating func append(_ record: some Encodable) throws {
    precondition(isInCollection, "a record must be in a collection")
    try splice(try encoded(record))
    if shape == .lines { json.endLine() }
    try drain()
  }

  private mutating func endCollection() throws {
    guard isInCollection else { return }
    json.endArray()
    isInCollection = false
  }

  // MARK: The end

  /// Ends the document and hands the rest of it over; a file appears in its place.
  ///
  /// - Returns: the sink.
  /// - Throws: `ByteStreamError`, also if one was thrown before: then there is no whole document, and no file appears.
  @discardableResult
  public consuming func finish() throws -> Sink {
    switch shape {
    case .object:
      try endCollection()
      json.endObject()
    case .array: json.endArray()
    case .lines: break
    }
    if let failure { throw failure }
    try json.flush(to: &output)
    try output.finish()
    if let file = output.sink as? AtomicFile { try file.commit() }
    return output.sink
  }

  private mutating func drain() throws {
    if let failure { throw failure }
    do throws(ByteStreamError) {
      try json.drain(to: &output)
    } catch {
      failure = error
      throw error
    }
  }

  // MARK: Values

  /// The value as the encoder writes it, once it is known that it can be written: so that nothing fails when half of it is.
  private func encoded(_ value: some Encodable) throws -> [UInt8] {
    let text = [UInt8](try encoder.encode(value))
    var reader = Self.reader(of: text)
    while try reader.next() {}
    return text
  }

  private mutating func splice(_ text: [UInt8]) throws {
    var reader = Self.reader(of: text)
    while try reader.next() {
      for index in 0..<reader.batch.count { json.write(reader.batch[index], in: reader.batch) }
    }
  }

  private static func reader(of text: [UInt8]) -> JSONEventReader {
    var limits = ReaderLimits()
    // The writer's maximum depth, without the brackets around a record.
    limits.depth = 120
    limits.chunkSize = max(1, min(limits.chunkSize, text.count))
    return JSONEventReader(MemorySource(text), limits: limits)
  }
}

extension BackupWriter where Sink == AtomicFile {
  /// Writes a file, which appears when the writer finishes.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - existing: what to do about a file that is already there.
  ///   - encoder: encodes the values.
  ///   - options: what the document looks like, where the name doesn't show it.
  /// - Throws: `ByteStreamError` if a file can't be made there.
  public init(
    path: String, existing: AtomicFile.Existing = .keep, encoder: JSONEncoder = JSONEncoder(),
    options: BackupWriterOptions = BackupWriterOptions()
  ) throws(ByteStreamError) {
    var options = options
    if JSONSyntax(ofFileNamed: path) == .jsonLines { options.shape = options.shape ?? .lines }
    if LZ4Source.isNamed(by: path) { options.compression = options.compression ?? .fastest }
    self.init(to: try AtomicFile(FilePath(path), existing: existing), encoder: encoder, options: options)
  }
}
