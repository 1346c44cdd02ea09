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
