/// An entry of which data has been read, or all of it.
struct EntryRecord {
  let local: LocalHeader
  private(set) var size = 0
  private var checksum = CRC32()
  /// All of its data has been looked at.
  var isRead = true

  init(_ local: LocalHeader) { self.local = local }

  private var name: String { local.name.decoded }

  /// Takes the next bytes of its data.
  ///
  /// - Parameters:
  ///   - declared: how many bytes the archive says it has, as far as it does.
  ///   - position: how far the archive has been read for them.
  /// - Throws: `size` if they are more than that, `limit` if they are too many for what they take in the archive.
  mutating func take(
    _ piece: UnsafeRawBufferPointer, declared: Int?, position: Int, limits: ZIPLimits
  ) throws(ZIPError) {
    size += piece.count
    if let declared, size > declared {
      throw ZIPError(.size, "it comes to more than the \(declared) bytes that the archive says it has", entry: name)
    }
    if size > ZIPLimits.ratioFloor, size / max(1, position - local.offset - local.length) >= limits.ratio {
      throw ZIPError(.limit, "it comes to more than \(limits.ratio) times its compressed size", entry: name)
    }
    checksum.add(piece)
  }

  /// What is wrong with its data, all of which has been taken, by what the archive says of it.
  func fault(size: Int, checksum: Int) -> ZIPError? {
    if self.size != size { return ZIPError(.size, "it has \(self.size) bytes, the archive says \(size)", entry: name) }
    if self.checksum.value == UInt32(truncatingIfNeeded: checksum) { return nil }
    return ZIPError(.checksum, "its bytes are not those that were put in: the checksum (CRC-32) is wrong", entry: name)
  }
}
