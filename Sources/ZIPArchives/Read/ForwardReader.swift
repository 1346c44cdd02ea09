import ByteStreams

/// Reads small records sequentially from a source.
struct ForwardReader {
  private var source: any ByteSource
  private var buffer: [UInt8]
  private var position = 0
  /// The archive offset of the next byte.
  private(set) var offset: Int

  /// - Parameters:
  ///   - prefix: the bytes already read from `source`.
  ///   - offset: the start of the prefix.
  init(_ source: any ByteSource, prefix: [UInt8] = [], at offset: Int) {
    self.source = source
    buffer = prefix
    self.offset = offset
  }

  /// Reads the next `count` bytes.
  ///
  /// - Throws: `truncated` if there are fewer.
  mutating func bytes(_ count: Int) throws(CofferError) -> [UInt8] {
    while buffer.count - position < count {
      guard try fill() else { throw CofferError(.zipTruncated, "the archive ends within its directory") }
    }
    defer {
      position += count
      offset += count
    }
    return Array(buffer[position..<position + count])
  }

  /// Counts the remaining bytes, and checks whether all are NUL. Stops reading once the count exceeds the limit.
  mutating func countRest(upTo limit: Int) throws(CofferError) -> (count: Int, isNUL: Bool) {
    var count = 0
    var isNUL = true
    while true {
      count += buffer.count - position
      isNUL = isNUL && buffer[position...].allSatisfy { $0 == 0 }
      position = buffer.count
      guard count <= limit, try fill() else { return (count, isNUL) }
    }
  }

  private mutating func fill() throws(CofferError) -> Bool {
    buffer.removeFirst(position)
    position = 0
    let more = try source.readPiece(1 << 16)
    buffer += more
    return !more.isEmpty
  }
}

extension ByteSource {
  /// Reads at most `length` bytes at once; empty at the end.
  mutating func readPiece(_ length: Int) throws(CofferError) -> [UInt8] {
    var result: Result<Void, CofferError> = .success(())
    let piece = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      do throws(CofferError) {
        count = try self.read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch { result = .failure(error) }
    }
    try result.get()
    return piece
  }
}

/// The header before an entry's data (APPNOTE 4.3.7).
struct LocalHeader: Sendable {
  /// The offset of the header.
  let offset: Int
  /// The length including name and extra fields.
  let length: Int
  let flags: Int
  let method: Int
  let checksum: Int
  /// `nil` if the sizes follow the data.
  let compressedSize: Int?
  let size: Int?
  let name: EntryName

  var hasDescriptor: Bool { flags & ZIPLayout.Flag.descriptor != 0 }

  /// Returns the length of a header from its first 30 bytes, or `nil` if they are not a header.
  static func length(_ start: some RandomAccessCollection<UInt8>) -> Int? {
    let start = Array(start.prefix(ZIPLayout.localLength))
    guard start.count == ZIPLayout.localLength, start.number32(at: 0) == ZIPLayout.localSignature else { return nil }
    return ZIPLayout.localLength + start.number16(at: 26) + start.number16(at: 28)
  }

  /// - Parameter bytes: the complete header.
  init?(_ bytes: [UInt8], at offset: Int) {
    guard let length = Self.length(bytes), bytes.count >= length else { return nil }
    self.offset = offset
    self.length = length
    flags = bytes.number16(at: 6)
    method = bytes.number16(at: 8)
    checksum = bytes.number32(at: 14)
    let nameLength = bytes.number16(at: 26)
    name = EntryName(bytes: Array(bytes[ZIPLayout.localLength..<ZIPLayout.localLength + nameLength]))
    let compressedSize = bytes.number32(at: 18)
    let size = bytes.number32(at: 22)
    if flags & ZIPLayout.Flag.descriptor != 0 {
      self.compressedSize = nil
      self.size = nil
    } else if size == ZIPLayout.max32 || compressedSize == ZIPLayout.max32 {
      // The field contains both or neither (4.5.3).
      let extra = bytes[(ZIPLayout.localLength + nameLength)..<length]
      guard let field = ZIPLayout.field(ZIPLayout.zip64Field, of: extra), field.count >= 16, let whole = field.number64(at: 0),
        let compressed = field.number64(at: 8)
      else { return nil }
      self.size = whole
      self.compressedSize = compressed
    } else {
      self.compressedSize = compressedSize
      self.size = size
    }
  }
}

extension BlockWindow {
  /// Finds the header that ends where its entry's data begins, among bytes just passed to libarchive.
  func localHeader(from start: Int, to dataOffset: Int) -> LocalHeader? {
    var offset = start
    while offset + ZIPLayout.localLength <= dataOffset {
      let fixed = bytes(at: offset, count: ZIPLayout.localLength)
      if let length = LocalHeader.length(fixed), offset + length == dataOffset,
        let local = LocalHeader(bytes(at: offset, count: length), at: offset)
      {
        return local
      }
      offset += 1
    }
    return nil
  }
}

/// An entry of a seekable archive, for copying its data without expanding it.
package struct StoredEntry: Sendable {
  package let name: String
  /// The expanded size in bytes.
  package let size: Int
  package let time: ZIPTime
  /// The range of its data in the archive.
  package let range: Range<Int>
  /// The offset of its header: `ZIPEntry.offset`.
  package let offset: Int
  let method: Int
  /// The flags for the compression level, which some methods need.
  let methodFlags: Int
  let checksum: CRC32

  init(_ central: CentralHeader, _ local: LocalHeader) {
    name = local.name.text ?? local.name.decoded
    size = central.size
    time = central.time
    let start = local.offset + local.length
    range = start..<start + central.compressedSize
    offset = local.offset
    method = central.method
    methodFlags = central.flags & 0b110
    checksum = CRC32(value: UInt32(truncatingIfNeeded: central.checksum))
  }
}
