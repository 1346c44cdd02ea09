package import ByteStreams
import JSONEvents
import SystemPackage

/// Operations on keys as bytes, in chunks that can be decoded separately.
///
///     | length, 8 bytes | records … | length | records … |          see `KeyRecordCoder`
///
/// Memory: a chunk, and up to 1 MiB of rows. More are in a temporary file.
struct KeyRows: ~Copyable {
  private var sink: StoringSink
  private var chunk = ByteBuffer()
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
    try sink.writeFrame(chunk.bytes)
    chunk.removeAll()
    coder = KeyRecordCoder()
  }

  /// Calls `body` with the rows, in the order of appending.
  ///
  /// - Throws: `damagedPartial` if the bytes are damaged, an error of the temporary file, or what `body` throws.
  mutating func forEach(_ body: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    try endChunk()
    var source = StoredSource(StoredBytes(sink, named: "key rows"))
    while let chunk = try source.readFrame(limit: Self.largestChunk) { try Self.decode(chunk, body) }
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
    try sink.writeFrame([])
  }

  /// Reads what ``encode(to:)`` wrote.
  ///
  /// - Parameter check: returns false for a row that can't be used.
  init(
    decoding source: inout some ByteSource, in folder: FilePath, _ check: (KeyRecord) -> Bool
  ) throws(CofferError) {
    self.init(in: folder)
    while true {
      guard let chunk = try source.readFrame(limit: Self.largestChunk) else { throw .damagedPartial }
      if chunk.isEmpty { break }
      var rows = 0
      try Self.decode(chunk) { record throws(CofferError) in
        rows += 1
        guard check(record) else { throw .damagedPartial }
      }
      try sink.writeFrame(chunk)
      count += rows
    }
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

/// Divides operations on keys among buckets by their keys, for other processes to decide: all operations on a key are in one bucket.
///
/// Memory: up to 64 KiB per bucket, of at most 16 MiB.
package final class KeyRowWriter {
  private let seed: UInt64
  private let chunkSize: Int
  private var chunks = UniqueArray<ByteBuffer>()
  private var coders: [KeyRecordCoder]
  private let write: (_ bucket: Int, _ rows: UnsafeRawBufferPointer) throws(CofferError) -> Void

  /// The most buckets.
  package static let bucketLimit = 1 << 12

  /// - Parameters:
  ///   - bucketCount: at most ``bucketLimit``.
  ///   - key: must be the same in all processes.
  ///   - write: takes rows of a bucket that can be decoded separately. They are in order within a bucket.
  package init(
    bucketCount: Int, key: SipHash128.Key,
    write: @escaping (_ bucket: Int, _ rows: UnsafeRawBufferPointer) throws(CofferError) -> Void
  ) {
    // Tables and partitions use other bits.
    seed = ~(key.low ^ key.high)
    chunkSize = min(1 << 16, (16 << 20) / bucketCount)
    chunks = UniqueArray(capacity: bucketCount)
    for _ in 0..<bucketCount { chunks.append(ByteBuffer(capacity: 256)) }
    coders = Array(repeating: KeyRecordCoder(), count: bucketCount)
    self.write = write
  }

  func append(_ record: KeyRecord) throws(CofferError) {
    let bucket = Int(SpilledKey(record.key, in: record.set, seed: seed).hash % UInt64(coders.count))
    coders[bucket].encode(record, into: &chunks[bucket])
    if chunks[bucket].count >= chunkSize { try end(bucket) }
  }

  /// Writes all rows, so that those that follow are written separately.
  package func flush() throws(CofferError) {
    for bucket in coders.indices where chunks[bucket].count > 0 { try end(bucket) }
  }

  private func end(_ bucket: Int) throws(CofferError) {
    try write(bucket, chunks[bucket].bytes)
    chunks[bucket].removeAll()
    coders[bucket] = KeyRecordCoder()
  }
}

/// Scatters keys by a permutation that depends on a seed.
///
/// The tables hold scattered keys, so a key's hash is a part of it and needs no computation.
enum KeyScatter {
  /// Uses folded multiplications (as in wyhash) in a two-round Feistel network: every bit of the key affects every bit of the
  /// second word.
  ///
  /// The second round multiplies twice. With one multiplication, short numbered strings cluster for some seeds, because the upper
  /// bits of the second word depend on few digits.
  @inline(__always)
  static func scatter(_ low: UInt64, _ high: UInt64, seed: UInt64) -> (low: UInt64, high: UInt64) {
    let low = low ^ fold(high ^ seed, 0x9E37_79B9_7F4A_7C15)
    return (low, high ^ fold(fold(low ^ seed, 0xA076_1D64_78BD_642F) ^ seed, 0xE703_7ED1_A0B4_28DB))
  }

  /// Uses two odd multiplications; between them, the upper half is folded into the lower one.
  @inline(__always)
  static func scatter(_ word: UInt64, seed: UInt64) -> UInt64 {
    let first = (word ^ seed) &* 0x9E37_79B9_7F4A_7C15
    return (first ^ first &>> 32) &* (seed | 0xA076_1D64_78BD_642F)
  }

  @inline(__always)
  private static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}

/// What a program requires of keys.
struct KeySchema: Sendable {
  /// The number of the document's sets, without scoped ones.
  let setCount: Int
  /// For each step, whether its findings need all places; `nil` for definitions, which have none.
  let isDetailed: [Bool?]
  /// The sets that a reference refers to and another one refines.
  let baseSets: Set<Int>
}

extension KeySchema {
  init(_ program: RuleProgram) {
    var baseSets: Set<Int> = []
    for number in 0..<program.steps.count where program.steps[number].base >= 0 {
      baseSets.insert(Int(program.steps[Int(program.steps[number].base)].keySet))
    }
    let isDetailed = zip(0..., program.stepsWithDetails).map { number, isDetailed in
      program.steps[number].rule < 0 ? nil : isDetailed
    }
    self.init(setCount: program.keySetCount, isDetailed: isDetailed, baseSets: baseSets)
  }
}
