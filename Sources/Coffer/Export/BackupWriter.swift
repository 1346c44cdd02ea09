public import ByteStreams
public import CompressedStreams
public import JSONEvents
public import Rules
import SystemPackage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes a backup record by record, of any size.
///
/// For example:
///
///     var writer = try BackupWriter(path: "export.json")
///     try writer.write(9, as: "version")
///     try writer.beginCollection("expenses")
///     for expense in expenses { try writer.append(expense) }
///     try writer.finish()                 // {"version":9,"expenses":[{…},{…}]}
///
/// The complete file appears when ``finish()`` returns. If the writer is released before that, an existing file stays unchanged.
///
/// Numbers are written digit for digit as the encoder spells them. If a value can't be encoded, the call throws, and no part of
/// the value is written. Calls in an invalid order (a record outside a collection) are programming errors and trap.
///
/// Time: the encoder's, and one pass over its output. Memory: one record, and about 128 KiB. Calls block while a file is written.
public struct BackupWriter<Sink: ByteSink>: ~Copyable {
  private var output: CompressibleOutput<Sink>
  private let shape: BackupWriterOptions.Shape
  private let encoder: JSONEncoder
  private var json: JSONEventWriter
  private var isInCollection: Bool
  /// The sink's error: the text that it didn't accept is lost.
  private var failure: CofferError?

  /// Creates a writer to your own sink, which receives all bytes in order.
  ///
  /// - Parameters:
  ///   - sink: receives the bytes.
  ///   - encoder: encodes the values; ``BackupWriterOptions/layout`` overrides its layout.
  ///   - options: the document's form.
  public init(to sink: Sink, encoder: JSONEncoder = JSONEncoder(), options: BackupWriterOptions = BackupWriterOptions()) {
    let shape = options.shape ?? .object
    precondition(shape != .lines || options.layout == .compact, "JSON Lines need the compact layout")
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

  /// Ends the open collection, and writes a member of the root object.
  ///
  /// - Throws: `EncodingError`, or other errors of the value's encoding; `CofferError` if it is nested more than about 120
  ///   levels deep; `CofferError`.
  public mutating func write(_ value: some Encodable, as name: String) throws {
    precondition(shape == .object, "only objects have members")
    let text = try encoded(value)
    try endCollection()
    json.key(name)
    try splice(text)
    try drain()
  }

  /// Ends the open collection, and begins a member of the root object that is an array of records.
  public mutating func beginCollection(_ name: String) throws {
    precondition(shape == .object, "only objects have members")
    try endCollection()
    json.key(name)
    json.beginArray()
    isInCollection = true
    try drain()
  }

  /// Adds a record to the open collection, or to the root if that isn't an object.
  ///
  /// - Throws: the errors of ``write(_:as:)``.
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

  /// Ends the document and writes its rest; a file then appears in its place.
  ///
  /// - Returns: the sink.
  /// - Throws: `CofferError`, also that of an earlier call. The document is then incomplete, and no file appears.
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
    do throws(CofferError) {
      try json.drain(to: &output)
    } catch {
      failure = error
      throw error
    }
  }

  // MARK: Values

  /// Returns the encoder's text of a value, checked first, so that writing can't fail halfway through the value.
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
  /// Creates a writer to a file, which appears when the writer finishes.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - existing: how to treat an existing file.
  ///   - encoder: encodes the values.
  ///   - options: the document's form, as far as the name doesn't determine it.
  /// - Throws: `CofferError` if a file can't be created there.
  public init(
    path: String, existing: AtomicFile.Existing = .keep, encoder: JSONEncoder = JSONEncoder(),
    options: BackupWriterOptions = BackupWriterOptions()
  ) throws(CofferError) {
    var options = options
    if JSONSyntax(ofFileNamed: path) == .jsonLines { options.shape = options.shape ?? .lines }
    options.compression = options.compression ?? Compression(ofFileNamed: path)
    self.init(to: try AtomicFile(FilePath(path), existing: existing), encoder: encoder, options: options)
  }
}

/// Options for writing a backup.
public struct BackupWriterOptions: Sendable {
  /// The structure around the records.
  public enum Shape: Sendable, Hashable {
    /// An object of members and collections.
    case object
    /// An array of records.
    case array
    /// One record per line, without an array (JSON Lines).
    case lines
  }

  /// The document's shape. If `nil`, it is JSON Lines if the file's name ends in `.jsonl` or `.ndjson`, otherwise an object.
  public var shape: Shape?
  public var layout = JSONEventWriter.Layout.compact
  public var slashes = JSONEventWriter.Slashes.plain
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?

  public init() {}
}

extension JSONEventWriter {
  /// Writes a date and time in RFC 3339 format, in UTC, with a fraction only if it isn't zero: `"2026-06-28T20:15:00Z"`.
  public mutating func dateTime(_ instant: Instant) { string(instant.description) }
}
