import ByteStreams
import JSONEvents
import SystemPackage

/// Operations on keys as bytes, in chunks that can be decoded separately.
///
///     | length, 4 bytes | records … | length | records … |          see `KeyRecordCoder`
///
/// Memory: a chunk, and up to 1 MiB of rows. More are in a temporary file.
struct KeyRows: ~Copyable {
  private var sink: StoringSink
  private var chunk = RecordBuffer()
  private var coder = KeyRecordCoder()
  private(set) var count = 0
  /// The size at which a chunk ends, and the most bytes that a chunk may have.
  private static let chunkSize = 1 << 16
  private static let largestChunk = 1 << 20

  /// - Parameter folder: the folder for the temporary file, if one is needed.
  init(in folder: FilePath) { sink = StoringSink(in: folder) }

  mutating func append(_ record: KeyRecord) throws(CofferError) {
    coder.encode(record, into: &chunk)
    count += 1
    if chunk.count >= Self.chunkSize { try endChunk() }
  }

  private mutating func endChunk() throws(CofferError) {
    guard chunk.count > 0 else { return }
    var header = RecordBuffer()
    header.append(UInt64(chunk.count), length: 4)
    try header.withBytes { bytes throws(CofferError) in try sink.write(bytes) }
    try chunk.withBytes { bytes throws(CofferError) in try sink.write(bytes) }
    chunk.removeAll()
    coder = KeyRecordCoder()
  }

  /// Calls `body` with the rows, in the order of appending.
  ///
  /// - Throws: `damagedPartial` if the bytes are damaged, an error of the temporary file, or what `body` throws.
  mutating func forEach(_ body: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    try endChunk()
    var source = StoredSource(StoredBytes(sink, named: "key rows"))
    while let chunk = try Self.readChunk(from: &source) { try Self.decode(chunk, body) }
  }

  // MARK: Coding

  /// Writes all chunks, and an empty one.
  mutating func encode(to sink: inout some ByteSink) throws(CofferError) {
    try endChunk()
    var source = StoredSource(StoredBytes(self.sink, named: "key rows"))
    while true {
      let piece = try source.readPrefix(Self.chunkSize)
      if piece.isEmpty { break }
      try sink.write(piece)
    }
    try sink.write([0, 0, 0, 0])
  }

  /// Reads what ``encode(to:)`` wrote.
  ///
  /// - Parameter check: returns false for a row that can't be used.
  init(
    decoding source: inout some ByteSource, in folder: FilePath, _ check: (KeyRecord) -> Bool
  ) throws(CofferError) {
    self.init(in: folder)
    while true {
      guard let chunk = try Self.readChunk(from: &source) else { throw .damagedPartial }
      if chunk.isEmpty { break }
      var rows = 0
      try Self.decode(chunk) { record throws(CofferError) in
        rows += 1
        guard check(record) else { throw .damagedPartial }
      }
      var header = RecordBuffer()
      header.append(UInt64(chunk.count), length: 4)
      try header.withBytes { bytes throws(CofferError) in try sink.write(bytes) }
      try sink.write(chunk)
      count += rows
    }
  }

  /// Returns `nil` at the end of the source.
  private static func readChunk(from source: inout some ByteSource) throws(CofferError) -> [UInt8]? {
    let header = try source.readPrefix(4)
    if header.isEmpty { return nil }
    guard header.count == 4 else { throw .damagedPartial }
    let length = header.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= largestChunk else { throw .damagedPartial }
    let chunk = try source.readPrefix(length)
    guard chunk.count == length else { throw .damagedPartial }
    return chunk
  }

  /// Calls `body` with the rows of one chunk.
  static func decode(
    _ chunk: [UInt8], _ body: (KeyRecord) throws(CofferError) -> Void
  ) throws(CofferError) {
    var reader = KeyRecordReader(chunk)
    while let record = reader.next() { try body(record) }
    guard reader.isAtEnd else { throw .damagedPartial }
  }
}
