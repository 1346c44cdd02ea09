import ByteStreams

/// An entry whose data has been read completely or in part.
struct EntryRecord {
  let local: LocalHeader
  private(set) var size = 0
  private var checksum = CRC32()
  /// True if all of its data has been checked.
  var isRead = true

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

  /// Returns the fault of the complete data compared with the archive's declarations.
  func fault(size: Int, checksum: Int) -> CofferError? {
    if self.size != size {
      return CofferError(.zipSize, "it has \(self.size) bytes, but the archive declares \(size)", entry: name)
    }
    if self.checksum.value == UInt32(truncatingIfNeeded: checksum) { return nil }
    return CofferError(.zipChecksum, "its data does not match its checksum (CRC-32)", entry: name)
  }
}
