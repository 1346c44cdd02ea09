public import ByteStreams
import GzipStreams

/// Writes a ZIP archive as a stream, one entry at a time.
///
/// For example:
///
///     var writer = ZIPWriter(to: try AtomicFile("backup.zip"))
///     try writer.addCompressed("metadata.json", from: metadata, size: metadata.byteCount)
///     try writer.addStored("photos/1.jpg", size: photo.count, checksum: CRC32(of: photo), from: MemorySource(photo))
///     try writer.finish()
///     try writer.sink.commit()
///
/// The same entries always give the same bytes: their only time is the one in the options. Numbers that need it are written as
/// ZIP64. Data that compresses more than fiftyfold is stored in part, because readers, including `ZIPReader`, would take it for a
/// bomb. Stored entries have their checksum before the data, because some streaming readers (Java's) reject it after data whose
/// end is not marked.
///
/// Cost: one pass. Memory: the directory, about 50 bytes plus the name for each entry.
public struct ZIPWriter<Sink: ByteSink> {
  /// The options for writing an archive.
  public struct Options: Sendable {
    /// The modification time of each entry.
    public var time = ZIPTime.earliest
    /// True to write numbers as ZIP64 even if they don't need it, for tests.
    package var prefersZIP64 = false
    /// The maximum length of a name in bytes: the same as `ZIPReader` accepts.
    package var nameLength = ZIPLimits().nameLength
    /// True to compress everything at any ratio, for archives that readers must reject.
    package var allowsBombs = false
    /// True to write names unchanged, for deliberately invalid archives.
    package var allowsUnsafeNames = false

    public init() {}
  }

  /// The destination of the archive, which is complete after ``finish()``.
  public private(set) var sink: Sink
  private let options: Options
  /// The number of bytes written.
  private var offset = 0
  private var directory: [UInt8] = []
  private var entryCount = 0
  private let buffer = ScratchBuffer()

  public init(to sink: Sink, options: Options = Options()) {
    self.sink = sink
    self.options = options
  }

  /// Adds a file uncompressed, for data that is already compressed.
  ///
  /// - Parameters:
  ///   - name: with `/` between folders.
  ///   - size: the number of bytes in `source`.
  ///   - checksum: their CRC-32.
  /// - Throws: `CofferError` if `source` has other bytes or can't be read, if the name is not safe, or if the sink can't be
  ///   written.
  package mutating func addStored(
    _ name: String, size: Int, checksum: CRC32, from source: some ByteSource
  ) throws(CofferError) {
    var entry = try begin(name, method: ZIPLayout.stored, flags: 0)
    entry.size = size
    entry.compressedSize = size
    entry.checksum = checksum
    try write(entry.localHeader)
    var found = CRC32()
    var count = 0
    var source = source
    while let piece = try read(&source, for: name) {
      found.add(piece)
      count += piece.count
      guard count <= size else { break }
      try write(piece)
    }
    guard count == size, found == checksum else {
      throw CofferError(.inputOutput, "the file changed while it was being read", entry: name)
    }
    end(entry)
  }

  /// Adds a file, compressed while it is read.
  ///
  /// - Parameters:
  ///   - name: with `/` between folders.
  ///   - source: the file's content.
  ///   - size: the approximate number of bytes in `source`, if known: from 4 GiB on, the numbers take more space.
  /// - Throws: `CofferError` if `source` can't be read or unexpectedly has 4 GiB or more, if the name is not safe, or if the sink
  ///   can't be written.
  public mutating func addCompressed(_ name: String, from source: some ByteSource, size: Int?) throws(CofferError) {
    var entry = try beginCompressed(name, size: size)
    var source = source
    while let piece = try read(&source, for: name) {
      try entry.write(piece)
    }
    try end(entry)
  }

  /// Begins a file that is compressed while it is written. Nothing else may be written until ``end(_:)`` has taken it back.
  ///
  /// - Parameters:
  ///   - size: like that of ``addCompressed(_:from:size:)``.
  ///   - time: the modification time. If `nil`, that of the options.
  package mutating func beginCompressed(
    _ name: String, size: Int?, time: ZIPTime? = nil
  ) throws(CofferError) -> CompressedEntry<Sink> {
    var record = try begin(name, method: ZIPLayout.deflated, flags: ZIPLayout.Flag.descriptor, time)
    // Deflate may add a few bytes per ten thousand.
    record.hasLargeSizes = record.hasLargeSizes || (size ?? 0) > ZIPLayout.max32 - 1 << 24
    try write(record.localHeader)
    return CompressedEntry(record, to: sink, allowsBombs: options.allowsBombs)
  }

  /// Ends the file begun last.
  package mutating func end(_ entry: CompressedEntry<Sink>) throws(CofferError) {
    var entry = entry
    try entry.finish()
    sink = entry.sink
    offset += entry.record.compressedSize
    let record = entry.record
    guard record.hasLargeSizes || max(record.size, record.compressedSize) < ZIPLayout.max32 else {
      throw CofferError(
        .zipUnsupported, "it unexpectedly has 4 GiB or more", entry: String(decoding: record.name, as: UTF8.self))
    }
    try write(record.descriptor)
    end(record)
  }

  /// Adds an entry of another archive and copies its data unchanged.
  ///
  /// - Parameter data: the compressed data.
  package mutating func addCopy(of entry: StoredEntry, from data: some ByteSource) throws(CofferError) {
    var record = try begin(entry.name, method: entry.method, flags: entry.methodFlags, entry.time)
    record.hasLargeSizes = record.hasLargeSizes || max(entry.size, entry.range.count) >= ZIPLayout.max32
    record.size = entry.size
    record.compressedSize = entry.range.count
    record.checksum = entry.checksum
    try write(record.localHeader)
    var count = 0
    var data = data
    while let piece = try read(&data, for: entry.name) {
      count += piece.count
      try write(piece)
    }
    guard count == entry.range.count else {
      throw CofferError(.inputOutput, "the archive changed while it was being read", entry: entry.name)
    }
    end(record)
  }

  /// Writes the directory. Nothing can be added afterwards.
  ///
  /// - Throws: `CofferError` if the sink can't be written.
  public mutating func finish() throws(CofferError) {
    let start = offset
    try write(directory)
    var records: [UInt8] = []
    let needsZIP64 =
      options.prefersZIP64 || entryCount >= ZIPLayout.max16 || start >= ZIPLayout.max32 || directory.count >= ZIPLayout.max32
    if needsZIP64 {
      records.append32(ZIPLayout.end64Signature)
      records.append64(ZIPLayout.end64Length - 12)
      records.append16(ZIPRecord.maker)
      records.append16(ZIPRecord.zip64Version)
      records.append32(0)
      records.append32(0)
      records.append64(entryCount)
      records.append64(entryCount)
      records.append64(directory.count)
      records.append64(start)
      records.append32(ZIPLayout.locatorSignature)
      records.append32(0)
      records.append64(start + directory.count)
      records.append32(1)
    }
    records.append32(ZIPLayout.endSignature)
    records.append32(0)
    records.append16(needsZIP64 ? ZIPLayout.max16 : entryCount)
    records.append16(needsZIP64 ? ZIPLayout.max16 : entryCount)
    records.append32(needsZIP64 ? ZIPLayout.max32 : directory.count)
    records.append32(needsZIP64 ? ZIPLayout.max32 : start)
    records.append16(0)
    try write(records)
  }

  // MARK: Pieces

  private func begin(_ name: String, method: Int, flags: Int, _ time: ZIPTime? = nil) throws(CofferError) -> ZIPRecord {
    let bytes = Array(name.utf8)
    if !options.allowsUnsafeNames,
      let fault = EntryName(bytes: bytes).fault(lengthLimit: min(options.nameLength, ZIPLayout.max16))
    {
      throw CofferError(.unsafeName, fault, entry: name)
    }
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    return ZIPRecord(
      name: bytes, method: method, flags: flags | (isASCII ? 0 : ZIPLayout.Flag.utf8), time: time ?? options.time, offset: offset,
      hasLargeSizes: options.prefersZIP64)
  }

  private mutating func end(_ entry: ZIPRecord) {
    directory += entry.centralHeader
    entryCount += 1
  }

  /// Returns the source's next bytes, valid until the next read, or `nil` at its end.
  private mutating func read(_ source: inout some ByteSource, for name: String) throws(CofferError) -> UnsafeRawBufferPointer? {
    let count = try source.read(into: buffer.bytes)
    return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try sink.write(bytes)
    offset += bytes.count
  }

  private mutating func write(_ bytes: [UInt8]) throws(CofferError) {
    try sink.write(bytes)
    offset += bytes.count
  }
}

/// A buffer for copying.
private final class ScratchBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  deinit { bytes.deallocate() }
}

/// An entry that is being written: compresses its bytes and writes them to the archive's sink.
package struct CompressedEntry<Sink: ByteSink>: ByteSink {
  private(set) var record: ZIPRecord
  private(set) var sink: Sink
  private let allowsBombs: Bool
  private let deflater = Deflater()

  init(_ record: ZIPRecord, to sink: Sink, allowsBombs: Bool) {
    self.allowsBombs = allowsBombs
    self.record = record
    self.sink = sink
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // A whole piece that is stored would be much for a small entry.
      let size = record.size < ExpansionLimits.ratioFloor / 2 ? Self.smallestDenseSize : Self.pieceSize
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
      rest = rest.dropFirst(piece.count)
      let isStored = allowsBombs ? false : try isTooDense
      if isStored { try store(piece) } else { try compress(piece, .none) }
      record.size += piece.count
      record.checksum.add(piece)
    }
  }

  /// Writes the rest of the entry.
  mutating func finish() throws(CofferError) { try compress(UnsafeRawBufferPointer(start: nil, count: 0), .last) }

  private mutating func compress(_ bytes: UnsafeRawBufferPointer, _ flush: Deflater.Flush) throws(CofferError) {
    try deflater.add(bytes, flush) { compressed throws(CofferError) in
      try sink.write(compressed)
      record.compressedSize += compressed.count
    }
  }

  // MARK: Data that compresses too well

  /// The capacity of a stored block of Deflate.
  private static var pieceSize: Int { 0xFFFF }

  /// Smaller entries can't be too dense, because each has a header.
  private static var smallestDenseSize: Int { 8192 }

  /// True if the compression ratio is so high that readers would take the entry, or an archive of such entries, for a bomb: a quarter of
  /// the ratio that ours allows.
  private var isTooDense: Bool {
    mutating get throws(CofferError) {
      let isDense = { (record: ZIPRecord) in
        record.size >= Self.smallestDenseSize && record.size / (ZIPLimits().ratio / 4) >= record.compressedSize
      }
      guard isDense(record) else { return false }
      // A few megabytes may be pending in zlib.
      try compress(UnsafeRawBufferPointer(start: nil, count: 0), .full)
      return isDense(record)
    }
  }

  /// Writes bytes uncompressed, in a separate block (RFC 1951, 3.2.4). Everything before must have been flushed.
  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var header: [UInt8] = [0]
    header.append16(bytes.count)
    header.append16(~bytes.count)
    try sink.write(header)
    try sink.write(bytes)
    record.compressedSize += header.count + bytes.count
  }
}

/// The records of an entry in an archive being written: before its data, after it and in the directory.
struct ZIPRecord {
  let name: [UInt8]
  let method: Int
  let flags: Int
  let time: ZIPTime
  /// The offset of its local header.
  let offset: Int
  /// True if sizes are written with 64 bits.
  var hasLargeSizes: Bool
  var size = 0 { didSet { if size >= ZIPLayout.max32 { hasLargeSizes = true } } }
  var compressedSize = 0
  var checksum = CRC32()

  /// Unix, whose file types are in the directory, and version 4.5 of the specification.
  static let maker = 3 << 8 | 45
  static let zip64Version = 45
  private static let plainVersion = 20

  private var hasDescriptor: Bool { flags & ZIPLayout.Flag.descriptor != 0 }

  /// Returns the fields that both headers have: version, flags, method, time, checksum and sizes.
  private func common(hasLargeSizes: Bool, isBeforeData: Bool) -> [UInt8] {
    let isUnknown = isBeforeData && hasDescriptor
    var bytes: [UInt8] = []
    bytes.append16(hasLargeSizes ? Self.zip64Version : Self.plainVersion)
    bytes.append16(flags)
    bytes.append16(method)
    bytes.append32(Int(time.value))
    bytes.append32(isUnknown ? 0 : Int(checksum.value))
    for number in [compressedSize, size] { bytes.append32(hasLargeSizes ? ZIPLayout.max32 : isUnknown ? 0 : number) }
    bytes.append16(name.count)
    return bytes
  }

  var localHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append32(ZIPLayout.localSignature)
    bytes += common(hasLargeSizes: hasLargeSizes, isBeforeData: true)
    bytes.append16(hasLargeSizes ? 20 : 0)
    bytes += name
    if hasLargeSizes {
      bytes.append16(ZIPLayout.zip64Field)
      bytes.append16(16)
      for number in [size, compressedSize] { bytes.append64(hasDescriptor ? 0 : number) }
    }
    return bytes
  }

  /// Follows the data if the values were not known before it.
  var descriptor: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append32(ZIPLayout.descriptorSignature)
    bytes.append32(Int(checksum.value))
    for number in [compressedSize, size] { if hasLargeSizes { bytes.append64(number) } else { bytes.append32(number) } }
    return bytes
  }

  var centralHeader: [UInt8] {
    var field: [UInt8] = []
    if hasLargeSizes { for number in [size, compressedSize] { field.append64(number) } }
    let isFar = offset >= ZIPLayout.max32
    if isFar { field.append64(offset) }
    var bytes: [UInt8] = []
    bytes.append32(ZIPLayout.centralSignature)
    bytes.append16(Self.maker)
    bytes += common(hasLargeSizes: hasLargeSizes, isBeforeData: false)
    bytes.append16(field.isEmpty ? 0 : field.count + 4)
    // No comment, the first disk, no internal attributes.
    bytes += [0, 0, 0, 0, 0, 0]
    // The file types of Unix and DOS.
    bytes.append32(name.last == UInt8(ascii: "/") ? 0o040_755 << 16 | 0x10 : 0o100_644 << 16)
    bytes.append32(isFar ? ZIPLayout.max32 : offset)
    bytes += name
    if !field.isEmpty {
      bytes.append16(ZIPLayout.zip64Field)
      bytes.append16(field.count)
      bytes += field
    }
    return bytes
  }
}
