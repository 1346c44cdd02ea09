/// An entry as it stands in an archive that can be read anywhere: what a copy needs, which takes the data as it is, without expanding it.
package struct StoredEntry: Sendable {
  package let name: String
  /// How many bytes its data comes to.
  package let size: Int
  package let time: ZIPTime
  /// Where its data stands, in bytes of the archive.
  package let range: Range<Int>
  /// Where its header stands: `ZIPEntry.offset`.
  package let offset: Int
  let method: Int
  /// How hard it was compressed, which readers of some methods need to know.
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
