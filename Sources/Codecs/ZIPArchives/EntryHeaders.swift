import ByteStreams

/// The header before an entry's data (APPNOTE 4.3.7).
struct LocalHeader: Sendable {
  /// The offset of the header.
  let offset: Int
  /// The length including name and extra fields.
  let length: Int
  let flags: Int
  let method: Int
  let time: ZIPTime
  let checksum: Int
  /// `nil` if the sizes follow the data.
  let compressedSize: Int?
  let size: Int?
  /// True if the sizes have eight bytes.
  let isLarge: Bool
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
    time = ZIPTime(value: UInt32(truncatingIfNeeded: bytes.number32(at: 10)))
    checksum = bytes.number32(at: 14)
    let nameLength = bytes.number16(at: 26)
    name = EntryName(bytes: Array(bytes[ZIPLayout.localLength..<ZIPLayout.localLength + nameLength]))
    let compressedSize = bytes.number32(at: 18)
    let size = bytes.number32(at: 22)
    let field = ZIPLayout.field(ZIPLayout.zip64Field, of: bytes[(ZIPLayout.localLength + nameLength)..<length])
    isLarge = field != nil
    if flags & ZIPLayout.Flag.descriptor != 0 {
      self.compressedSize = nil
      self.size = nil
    } else if size == ZIPLayout.max32 || compressedSize == ZIPLayout.max32 {
      // The field contains both or neither (4.5.3).
      guard let field, field.count >= 16, let whole = field.number64(at: 0), let compressed = field.number64(at: 8) else {
        return nil
      }
      self.size = whole
      self.compressedSize = compressed
    } else {
      self.compressedSize = compressedSize
      self.size = size
    }
  }
}

/// The checksum and sizes after an entry's data (APPNOTE 4.3.9): a signature or none, and sizes of four or eight bytes.
struct Descriptor {
  private let checksum: Int
  private let compressedSize: Int?
  private let size: Int?

  /// The length with a signature and sizes of eight bytes.
  static let largest = 24

  /// Returns `nil` if bytes of that length have no signature, but must have one.
  init?(_ bytes: ArraySlice<UInt8>) {
    let isMarked = bytes.count % 8 == 0
    if isMarked, bytes.number32(at: 0) != ZIPLayout.descriptorSignature { return nil }
    let bytes = bytes.dropFirst(isMarked ? 4 : 0)
    checksum = bytes.number32(at: 0)
    let isLarge = bytes.count == 20
    compressedSize = isLarge ? bytes.number64(at: 4) : bytes.number32(at: 4)
    size = isLarge ? bytes.number64(at: 12) : bytes.number32(at: 8)
  }

  func agrees(with central: CentralHeader) -> Bool {
    checksum == central.checksum && compressedSize == central.compressedSize && size == central.size
  }
}

/// The directory's header of an entry (APPNOTE 4.3.12).
struct CentralHeader: Sendable {
  let flags: Int
  let method: Int
  let time: ZIPTime
  let checksum: Int
  let compressedSize: Int
  let size: Int
  /// The offset of the local header.
  let offset: Int
  let name: EntryName
  /// The Unix file type if the entry was made on Unix, or 0 if unknown.
  let fileType: Int
  let isDOSFolder: Bool

  private static let unix = 3
  private static let darwin = 19
  private static let regularFile = 0o100_000
  private static let folder = 0o040_000
  private static let link = 0o120_000

  /// - Parameters:
  ///   - start: the first 46 bytes.
  ///   - rest: name, extra fields and comment.
  init?(_ start: [UInt8], _ rest: [UInt8]) {
    let nameLength = start.number16(at: 28)
    let extraLength = start.number16(at: 30)
    flags = start.number16(at: 8)
    method = start.number16(at: 10)
    time = ZIPTime(value: UInt32(truncatingIfNeeded: start.number32(at: 12)))
    checksum = start.number32(at: 16)
    name = EntryName(bytes: Array(rest[..<nameLength]))
    let maker = start.number16(at: 4) >> 8
    let attributes = start.number32(at: 38)
    fileType = maker == Self.unix || maker == Self.darwin ? attributes >> 16 & 0o170_000 : 0
    isDOSFolder = attributes & 0x10 != 0
    // Numbers that don't fit are in the ZIP64 field, in this order (4.5.3).
    var numbers = [start.number32(at: 24), start.number32(at: 20), start.number32(at: 42)]
    if numbers.contains(ZIPLayout.max32) {
      var field = ZIPLayout.field(ZIPLayout.zip64Field, of: rest[nameLength..<nameLength + extraLength]) ?? []
      for index in numbers.indices where numbers[index] == ZIPLayout.max32 {
        guard field.count >= 8, let number = field.number64(at: 0) else { return nil }
        numbers[index] = number
        field = field.dropFirst(8)
      }
    }
    size = numbers[0]
    compressedSize = numbers[1]
    offset = numbers[2]
  }

  /// The fault of an entry that is neither a file nor a folder, or whose type does not match its name.
  var typeFault: CofferError? {
    let expected = name.isFolder ? Self.folder : Self.regularFile
    if fileType == 0 || fileType == expected, name.isFolder || !isDOSFolder { return nil }
    let type = fileType == Self.link ? "a symbolic link" : "neither a file nor a folder, or does not match its name"
    return CofferError(.notAFile, "the entry is \(type)", entry: name.decoded)
  }

  /// Returns the number of the disk on which the entry begins, and the number of bytes after the first 46.
  static func lengths(_ start: [UInt8]) -> (disk: Int, rest: Int) {
    (start.number16(at: 34), start.number16(at: 28) + start.number16(at: 30) + start.number16(at: 32))
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

  init(
    name: String, size: Int, time: ZIPTime, range: Range<Int>, offset: Int, method: Int, methodFlags: Int, checksum: CRC32
  ) {
    self.name = name
    self.size = size
    self.time = time
    self.range = range
    self.offset = offset
    self.method = method
    self.methodFlags = methodFlags
    self.checksum = checksum
  }

  init(_ central: CentralHeader, _ local: LocalHeader) {
    self.init(central, dataAt: local.offset + local.length)
  }

  /// - Parameter start: the start of its data.
  init(_ central: CentralHeader, dataAt start: Int) {
    self.init(
      name: central.name.text ?? central.name.decoded, size: central.size, time: central.time,
      range: start..<start + min(central.compressedSize, Int.max - start), offset: central.offset, method: central.method,
      methodFlags: central.flags & 0b110, checksum: CRC32(value: UInt32(truncatingIfNeeded: central.checksum)))
  }

  /// Creates an entry from the header before its data alone.
  init(_ local: LocalHeader, _ range: Range<Int>, size: Int, checksum: Int) {
    self.init(
      name: local.name.text ?? local.name.decoded, size: size, time: local.time, range: range, offset: local.offset,
      method: local.method, methodFlags: local.flags & 0b110, checksum: CRC32(value: UInt32(truncatingIfNeeded: checksum)))
  }
}
