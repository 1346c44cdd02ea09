import ByteStreams

/// The directory at an archive's end, read from its first header to the archive's last byte.
///
/// It is compared with the headers before the entries: an archive whose two directories differ shows different content to
/// different programs, and is rejected.
struct CentralDirectory {
  /// The headers, in the order of their offsets.
  private(set) var headers: [CentralHeader] = []
  /// The offset of its first header.
  let offset: Int

  /// - Parameters:
  ///   - input: positioned at the first header.
  ///   - offset: the offset of the first header.
  ///   - limits: the maximum number of entries.
  init(_ input: inout ForwardReader, at offset: Int, limits: ZIPLimits) throws(CofferError) {
    self.offset = offset
    var signature = try input.bytes(4).number32(at: 0)
    while signature == ZIPLayout.centralSignature {
      guard headers.count < limits.entries else { throw CofferError.tooManyEntries(limits) }
      let start = [0, 0, 0, 0] + (try input.bytes(ZIPLayout.centralLength - 4))
      let (disk, length) = CentralHeader.lengths(start)
      guard disk == 0, let header = CentralHeader(start, try input.bytes(length)) else {
        throw CofferError(.zipCorrupt, "the archive's directory is damaged at entry \(headers.count + 1)")
      }
      headers.append(header)
      signature = try input.bytes(4).number32(at: 0)
    }
    try readEnd(&input, signature)
    headers.sort { $0.offset < $1.offset }
  }

  private func readEnd(_ input: inout ForwardReader, _ first: Int) throws(CofferError) {
    let size = input.offset - 4 - offset
    var signature = first
    var end64: [UInt8]?
    if signature == ZIPLayout.end64Signature {
      let end64Offset = input.offset - 4
      let bytes = [0, 0, 0, 0] + (try input.bytes(ZIPLayout.end64Length - 4))
      guard let length = bytes.number64(at: 4), length >= ZIPLayout.end64Length - 12, length < 1 << 20 else { throw damaged }
      _ = try input.bytes(length - (ZIPLayout.end64Length - 12))
      end64 = bytes
      let locator = try input.bytes(ZIPLayout.locatorLength)
      guard locator.number32(at: 0) == ZIPLayout.locatorSignature, locator.number64(at: 8) == end64Offset else { throw damaged }
      signature = try input.bytes(4).number32(at: 0)
    }
    guard signature == ZIPLayout.endSignature else {
      throw CofferError(.zipCorrupt, "the archive's directory is not followed by the archive's end")
    }
    var end = ArchiveEnd([0, 0, 0, 0] + (try input.bytes(ZIPLayout.endLength - 4)))
    if let end64, !end.take(zip64: end64) { throw damaged }
    guard !end.isSplit else { throw CofferError(.zipUnsupported, "the archive is one of several parts") }
    _ = try input.bytes(end.commentLength)
    let (rest, isNUL) = try input.countRest(upTo: ZIPLayout.paddingLimit)
    // The rest may be endless, so it is counted only up to the limit.
    guard rest <= ZIPLayout.paddingLimit else { throw .trailingBytes("more than \(ZIPLayout.paddingLimit)") }
    guard isNUL else { throw .trailingBytes(String(rest)) }
    guard end.entryCount == headers.count, end.directorySize == size, end.directoryOffset == offset else {
      throw CofferError(
        .zipInconsistent,
        "the archive's end declares \(end.entryCount) entries in a directory at byte \(end.directoryOffset), but there are \(headers.count) at byte \(offset)"
      )
    }
  }

  private var damaged: CofferError { CofferError(.zipCorrupt, "the records at the archive's end are damaged") }

  // MARK: The headers before the entries

  /// Compares the directory with the local headers, in the order of their offsets.
  ///
  /// Headers and data must be contiguous: bytes that belong to no entry could be an entry to another program.
  func check(_ locals: [LocalHeader]) throws(CofferError) {
    guard headers.count == locals.count else {
      throw CofferError(
        .zipInconsistent, "the archive's directory lists \(headers.count) entries, but \(locals.count) precede it")
    }
    var end = 0
    for (index, (central, local)) in zip(headers, locals).enumerated() {
      let name = central.name.decoded
      guard central.offset == local.offset, local.offset == end else {
        throw CofferError(.zipInconsistent, "the bytes from \(end) belong to no entry, or to several", entry: name)
      }
      try check(central, local)
      let next = index + 1 < headers.count ? headers[index + 1].offset : offset
      end = local.offset + local.length
      let rest = next - end
      guard rest >= central.compressedSize else {
        throw CofferError(.zipInconsistent, "its data overlaps the next entry or the directory", entry: name)
      }
      // Checksum and sizes, of four or eight bytes, with or without a signature.
      let descriptor = rest - central.compressedSize
      guard local.hasDescriptor ? [12, 16, 20, 24].contains(descriptor) : descriptor == 0 else {
        throw CofferError(.zipInconsistent, "\(descriptor) bytes after its data belong to no entry", entry: name)
      }
      end = next
    }
    guard end == offset else { throw CofferError(.zipInconsistent, "bytes before the archive's directory belong to no entry") }
  }

  private func check(_ central: CentralHeader, _ local: LocalHeader) throws(CofferError) {
    func differs(_ what: String) -> CofferError {
      CofferError(
        .zipInconsistent, "the archive's directory and the header before the data have different \(what)",
        entry: central.name.decoded)
    }
    guard central.name.bytes == local.name.bytes else {
      throw CofferError(
        .zipInconsistent, "the header before the data names the entry '\(local.name.decoded.printable)'",
        entry: central.name.decoded
      )
    }
    // All flags except those for the compression level.
    guard central.flags & ~0b110 == local.flags & ~0b110, central.method == local.method else {
      throw differs("flags or methods")
    }
    if local.hasDescriptor { return }
    guard central.checksum == local.checksum else { throw differs("checksums") }
    guard central.size == local.size, central.compressedSize == local.compressedSize else { throw differs("sizes") }
  }
}

extension CofferError {
  static func tooManyEntries(_ limits: ZIPLimits) -> CofferError {
    CofferError(.limit, "the archive has more than \(limits.entries) entries")
  }

  static var notZIP: CofferError { CofferError(.notZIP, "not a ZIP archive") }

  static func trailingBytes(_ count: String) -> CofferError {
    CofferError(.zipInconsistent, "\(count) bytes follow the archive's end")
  }
}

/// The records after the directory's headers: their number and the start of the directory (APPNOTE 4.3.14 to 4.3.16).
struct ArchiveEnd {
  private(set) var entryCount: Int
  private(set) var directorySize: Int
  private(set) var directoryOffset: Int
  private(set) var isSplit: Bool
  let commentLength: Int

  /// - Parameter bytes: the end's first 22 bytes, of which the first four, its signature, are ignored.
  init(_ bytes: some RandomAccessCollection<UInt8>) {
    let bytes = Array(bytes)
    isSplit = bytes.number16(at: 4) != 0 || bytes.number16(at: 6) != 0 || bytes.number16(at: 8) != bytes.number16(at: 10)
    entryCount = bytes.number16(at: 10)
    directorySize = bytes.number32(at: 12)
    directoryOffset = bytes.number32(at: 16)
    commentLength = bytes.number16(at: 20)
  }

  /// True if a number may be in the ZIP64 end.
  var needsZIP64: Bool {
    entryCount == ZIPLayout.max16 || directorySize == ZIPLayout.max32 || directoryOffset == ZIPLayout.max32
  }

  /// Returns true if this can be the end of an archive whose directory ends at `place`, but not if it is the end of an archive
  /// inside this one.
  func isEnd(ofDirectoryEndingAt place: Int) -> Bool {
    // Some writers insert unnecessary ZIP64 records.
    let distance = place - (directoryOffset + directorySize)
    return needsZIP64 || distance == 0 || distance == ZIPLayout.end64Length + ZIPLayout.locatorLength
  }

  /// Reads the ZIP64 end; false if its numbers are impossible.
  mutating func take(zip64 bytes: [UInt8]) -> Bool {
    guard let entries = bytes.number64(at: 32), let size = bytes.number64(at: 40), let offset = bytes.number64(at: 48) else {
      return false
    }
    isSplit = bytes.number32(at: 16) != 0 || bytes.number32(at: 20) != 0 || bytes.number64(at: 24) != entries
    // Numbers that fit into the end itself must agree.
    if entryCount != ZIPLayout.max16, entryCount != entries { return false }
    if directorySize != ZIPLayout.max32, directorySize != size { return false }
    if directoryOffset != ZIPLayout.max32, directoryOffset != offset { return false }
    (entryCount, directorySize, directoryOffset) = (entries, size, offset)
    return true
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

/// An entry whose data has been read completely or in part.
struct EntryRecord {
  let local: LocalHeader
  private(set) var size = 0
  private var checksum = CRC32()
  /// True if all of its data has been checked.
  var isRead = true
  /// The number of bytes of the archive that had been read at the end of its data.
  var dataEnd: Int?
  /// The last bytes before the next header or the directory, if sizes and checksum follow the data.
  var lastBytes: [UInt8] = []
  /// The most that can follow the data: a signature, the checksum, and two sizes of eight bytes.
  static let largestDescriptor = 24

  init(_ local: LocalHeader) { self.local = local }

  private var name: String { local.name.decoded }

  /// Adds the next bytes of its data.
  ///
  /// - Parameters:
  ///   - declared: the entry's size according to the archive, if known.
  ///   - position: the number of bytes of the archive read so far.
  /// - Throws: `size` if there are more bytes than declared, `limit` if there are too many for their compressed size.
  mutating func take(
    _ piece: UnsafeRawBufferPointer, declared: Int?, position: Int, limits: ZIPLimits
  ) throws(CofferError) {
    size += piece.count
    if let declared, size > declared {
      throw CofferError(.zipSize, "it expands to more than the \(declared) bytes declared in the archive", entry: name)
    }
    if size > ExpansionLimits.ratioFloor, size / max(1, position - local.offset - local.length) >= limits.ratio {
      throw CofferError(.limit, "it expands to more than \(limits.ratio) times its compressed size", entry: name)
    }
    checksum.add(piece)
  }

  /// Returns the fault of what follows the data: sizes and checksum that aren't those of the directory, or bytes that belong to no entry.
  ///
  /// - Parameter next: the offset of the next header or of the directory.
  func faultAfterData(_ central: CentralHeader, before next: Int) -> CofferError? {
    let end = local.offset + local.length + central.compressedSize
    guard local.hasDescriptor else {
      // libarchive doesn't read the data of a folder, which is two bytes if it is compressed.
      guard let dataEnd, dataEnd < end, local.name.bytes.last != UInt8(ascii: "/") else { return nil }
      return CofferError(.zipCorrupt, "\(end - dataEnd) bytes follow the end of its compressed data", entry: name)
    }
    var descriptor = lastBytes.suffix(max(0, next - end))
    if descriptor.count % 8 == 0 {
      guard descriptor.count >= 4, descriptor.number32(at: 0) == ZIPLayout.descriptorSignature else { return wrongDescriptor }
      descriptor = descriptor.dropFirst(4)
    }
    let sizes: [Int?]
    switch descriptor.count {
    case 12: sizes = [descriptor.number32(at: 4), descriptor.number32(at: 8)]
    case 20: sizes = [descriptor.number64(at: 4), descriptor.number64(at: 12)]
    // Checked by the directory.
    default: return nil
    }
    return descriptor.number32(at: 0) == central.checksum && sizes == [central.compressedSize, central.size]
      ? nil : wrongDescriptor
  }

  private var wrongDescriptor: CofferError {
    CofferError(
      .zipInconsistent, "the sizes and the checksum after its data are not those of the archive's directory", entry: name)
  }

  /// Returns the fault of the complete data compared with the archive's declarations.
  func fault(size: Int, checksum: Int) -> CofferError? {
    if self.size != size {
      return CofferError(.zipSize, "it has \(self.size) bytes, but the archive declares \(size)", entry: name)
    }
    if self.checksum.value == UInt32(truncatingIfNeeded: checksum) { return nil }
    return CofferError(.zipChecksum, "its data does not match its checksum (CRC-32)", entry: name)
  }
}
