import ByteStreams

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
