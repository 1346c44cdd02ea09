public import ByteStreams

/// Writes a ZIP archive as a stream, entry by entry.
///
/// For example:
///
///     var writer = ZIPWriter(to: try AtomicFile(replacing: "backup.zip"))
///     try writer.addCompressed("metadata.json", from: metadata, size: metadata.byteCount)
///     try writer.addStored("photos/1.jpg", size: photo.count, checksum: CRC32(of: photo), from: MemorySource(photo))
///     try writer.finish()
///     try writer.sink.commit()
///
/// The same entries always make the same bytes: the only time they have is the one that is handed in. Numbers that need it are written as ZIP64.
/// What compresses more than fiftyfold is stored in part: readers, `ZIPReader` among them, would take it for a bomb.
/// What is stored has its checksum before the data, for some readers of streams (Java's) refuse it behind data whose end nothing shows: that is why
/// libarchive's writer, which always puts it there, doesn't serve.
///
/// Cost: one pass. Memory: what the directory has of each entry, some 50 bytes and its name.
public struct ZIPWriter<Sink: ByteSink> {
  /// How an archive is written.
  public struct Options: Sendable {
    /// When each entry was changed last.
    public var time = ZIPTime.earliest
    /// For tests: has numbers written as ZIP64 that don't need it.
    package var prefersZIP64 = false
    /// How many bytes a name may have: as many as `ZIPReader` takes.
    package var nameLength = ZIPLimits().nameLength
    /// For archives that readers are to refuse: everything is compressed, however well.
    package var allowsBombs = false
    /// For archives that are wrong on purpose: names are written as they are.
    package var allowsUnsafeNames = false

    public init() {}
  }

  /// Where the archive goes; whole once ``finish()`` is done.
  public private(set) var sink: Sink
  private let options: Options
  /// How much has been written.
  private var offset = 0
  private var directory: [UInt8] = []
  private var entryCount = 0
  private let buffer = ScratchBuffer()

  public init(to sink: Sink, options: Options = Options()) {
    self.sink = sink
    self.options = options
  }

  /// Adds a file as it is: what is compressed already.
  ///
  /// - Parameters:
  ///   - name: `/` between folders.
  ///   - size: how many bytes `source` has.
  ///   - checksum: their CRC-32.
  /// - Throws: `ZIPError` if `source` has other bytes than that, or can't be read; if the name is no safe one; if the sink can't be written.
  package mutating func addStored(
    _ name: String, size: Int, checksum: CRC32, from source: some ByteSource
  ) throws(ZIPError) {
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
      throw ZIPError(.inputOutput, "the file was changed while it was read", entry: name)
    }
    end(entry)
  }

  /// Adds a file, compressed as it is read.
  ///
  /// - Parameters:
  ///   - name: `/` between folders.
  ///   - size: about how many bytes `source` has, as far as that is known: from 4 GiB on, more room is made for the numbers.
  /// - Throws: `ZIPError` if `source` can't be read, or has 4 GiB and more that nobody knew of before; if the name is no safe one; if the sink can't
  ///   be written.
  public mutating func addCompressed(_ name: String, from source: some ByteSource, size: Int?) throws(ZIPError) {
    var entry = try beginCompressed(name, size: size)
    var source = source
    while let piece = try read(&source, for: name) {
      do throws(ByteStreamError) { try entry.write(piece) } catch { throw ZIPError(error) }
    }
    try end(entry)
  }

  /// Begins a file that is compressed as it is written. Until ``end(_:)`` has taken it back, nothing else is to be written.
  ///
  /// - Parameters:
  ///   - size: as that of ``addCompressed(_:from:size:)``.
  ///   - time: when it was changed last; `nil`: as the options say.
  package mutating func beginCompressed(
    _ name: String, size: Int?, time: ZIPTime? = nil
  ) throws(ZIPError) -> CompressedEntry<Sink> {
    var record = try begin(name, method: ZIPLayout.deflated, flags: ZIPLayout.Flag.descriptor, time)
    // Deflate may add a few bytes in ten thousand.
    record.hasLargeSizes = record.hasLargeSizes || (size ?? 0) > ZIPLayout.max32 - 1 << 24
    try write(record.localHeader)
    return CompressedEntry(record, to: sink, allowsBombs: options.allowsBombs)
  }

  /// Ends the file that was begun last.
  package mutating func end(_ entry: CompressedEntry<Sink>) throws(ZIPError) {
    var entry = entry
    do throws(ByteStreamError) { try entry.finish() } catch { throw ZIPError(error) }
    sink = entry.sink
    offset += entry.record.compressedSize
    let record = entry.record
    guard record.hasLargeSizes || max(record.size, record.compressedSize) < ZIPLayout.max32 else {
      throw ZIPError(
        .unsupported, "it has 4 GiB or more, which nobody knew before", entry: String(decoding: record.name, as: UTF8.self))
    }
    try write(record.descriptor)
    end(record)
  }

  /// Adds an entry of another archive, whose data is copied as it stands there.
  ///
  /// - Parameter data: its compressed data.
  package mutating func addCopy(of entry: StoredEntry, from data: some ByteSource) throws(ZIPError) {
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
      throw ZIPError(.inputOutput, "the archive was changed while it was read", entry: entry.name)
    }
    end(record)
  }

  /// Writes the directory. Nothing can be added any more.
  ///
  /// - Throws: `ZIPError` if the sink can't be written.
  public mutating func finish() throws(ZIPError) {
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

  private func begin(_ name: String, method: Int, flags: Int, _ time: ZIPTime? = nil) throws(ZIPError) -> ZIPRecord {
    let bytes = Array(name.utf8)
    if !options.allowsUnsafeNames,
      let fault = EntryName(bytes: bytes).fault(lengthLimit: min(options.nameLength, ZIPLayout.max16))
    {
      throw ZIPError(.unsafeName, fault, entry: name)
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

  /// The source's next bytes, which stay until the next are read; `nil` at its end.
  private mutating func read(_ source: inout some ByteSource, for name: String) throws(ZIPError) -> UnsafeRawBufferPointer? {
    do throws(ByteStreamError) {
      let count = try source.read(into: buffer.bytes)
      return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
    } catch { throw ZIPError(error) }
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ZIPError) {
    do throws(ByteStreamError) { try sink.write(bytes) } catch { throw ZIPError(error) }
    offset += bytes.count
  }

  private mutating func write(_ bytes: [UInt8]) throws(ZIPError) {
    do throws(ByteStreamError) { try sink.write(bytes) } catch { throw ZIPError(error) }
    offset += bytes.count
  }
}

/// What is being copied.
private final class ScratchBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  deinit { bytes.deallocate() }
}
