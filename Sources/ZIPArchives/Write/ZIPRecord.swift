import ByteStreams

/// The records of an entry in an archive being written: before its data, after it and in the directory.
struct ZIPRecord {
  let name: [UInt8]
  let method: Int
  let flags: Int
  let time: ZIPTime
  /// The offset of its local header.
  let offset: Int
  /// True if sizes are written with 64 bits.
  var hasLargeSizes: Bool
  var size = 0 { didSet { if size >= ZIPLayout.max32 { hasLargeSizes = true } } }
  var compressedSize = 0
  var checksum = CRC32()

  /// Unix, whose file types are in the directory, and version 4.5 of the specification.
  static let maker = 3 << 8 | 45
  static let zip64Version = 45
  private static let plainVersion = 20

  private var hasDescriptor: Bool { flags & ZIPLayout.Flag.descriptor != 0 }

  /// Returns the fields that both headers have: version, flags, method, time, checksum and sizes.
  private func common(hasLargeSizes: Bool, isBeforeData: Bool) -> [UInt8] {
    let isUnknown = isBeforeData && hasDescriptor
    var bytes: [UInt8] = []
    bytes.append16(hasLargeSizes ? Self.zip64Version : Self.plainVersion)
    bytes.append16(flags)
    bytes.append16(method)
    bytes.append32(Int(time.value))
    bytes.append32(isUnknown ? 0 : Int(checksum.value))
    for number in [compressedSize, size] { bytes.append32(hasLargeSizes ? ZIPLayout.max32 : isUnknown ? 0 : number) }
    bytes.append16(name.count)
    return bytes
  }

  var localHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append32(ZIPLayout.localSignature)
    bytes += common(hasLargeSizes: hasLargeSizes, isBeforeData: true)
    bytes.append16(hasLargeSizes ? 20 : 0)
    bytes += name
    if hasLargeSizes {
      bytes.append16(ZIPLayout.zip64Field)
      bytes.append16(16)
      for number in [size, compressedSize] { bytes.append64(hasDescriptor ? 0 : number) }
    }
    return bytes
  }

  /// Follows the data if the values were not known before it.
  var descriptor: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append32(ZIPLayout.descriptorSignature)
    bytes.append32(Int(checksum.value))
    for number in [compressedSize, size] { if hasLargeSizes { bytes.append64(number) } else { bytes.append32(number) } }
    return bytes
  }

  var centralHeader: [UInt8] {
    var field: [UInt8] = []
    if hasLargeSizes { for number in [size, compressedSize] { field.append64(number) } }
    let isFar = offset >= ZIPLayout.max32
    if isFar { field.append64(offset) }
    var bytes: [UInt8] = []
    bytes.append32(ZIPLayout.centralSignature)
    bytes.append16(Self.maker)
    bytes += common(hasLargeSizes: hasLargeSizes, isBeforeData: false)
    bytes.append16(field.isEmpty ? 0 : field.count + 4)
    // No comment, the first disk, no internal attributes.
    bytes += [0, 0, 0, 0, 0, 0]
    // The file types of Unix and DOS.
    bytes.append32(name.last == UInt8(ascii: "/") ? 0o040_755 << 16 | 0x10 : 0o100_644 << 16)
    bytes.append32(isFar ? ZIPLayout.max32 : offset)
    bytes += name
    if !field.isEmpty {
      bytes.append16(ZIPLayout.zip64Field)
      bytes.append16(field.count)
      bytes += field
    }
    return bytes
  }
}
