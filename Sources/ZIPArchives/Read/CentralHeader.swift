import ByteStreams

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
    let isFolder = name.bytes.last == UInt8(ascii: "/")
    let expected = isFolder ? Self.folder : Self.regularFile
    if fileType == 0 || fileType == expected, isFolder || !isDOSFolder { return nil }
    let type = fileType == Self.link ? "a symbolic link" : "neither a file nor a folder, or does not match its name"
    return CofferError(.notAFile, "the entry is \(type)", entry: name.decoded)
  }

  /// Returns the number of the disk on which the entry begins, and the number of bytes after the first 46.
  static func lengths(_ start: [UInt8]) -> (disk: Int, rest: Int) {
    (start.number16(at: 34), start.number16(at: 28) + start.number16(at: 30) + start.number16(at: 32))
  }
}
