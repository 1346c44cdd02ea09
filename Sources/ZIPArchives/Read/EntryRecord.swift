import ByteStreams

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
