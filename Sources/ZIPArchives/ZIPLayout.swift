/// The records of a ZIP archive (PKWARE's APPNOTE 6.3.10), by their signatures and lengths.
///
///     local header · data · descriptor?     for each entry (4.3.7 to 4.3.9)
///     central header …                      one per entry: the directory (4.3.12)
///     ZIP64 end · ZIP64 locator             if a number needs more than 32 bits, or 16 (4.3.14, 4.3.15)
///     end · comment                         (4.3.16)
///     NUL …                                 none, except by writers that fill a tape's last block: bsdtar to a pipe
enum ZIPLayout {
  static let localSignature = 0x0403_4B50
  static let centralSignature = 0x0201_4B50
  static let endSignature = 0x0605_4B50
  static let end64Signature = 0x0606_4B50
  static let locatorSignature = 0x0706_4B50
  static let descriptorSignature = 0x0807_4B50

  static let localLength = 30
  static let centralLength = 46
  static let endLength = 22
  static let end64Length = 56
  static let locatorLength = 20

  /// The maximum number of NUL bytes after the end.
  static let paddingLimit = 1 << 20

  /// The placeholder for a number that is in the ZIP64 field.
  static let max16 = 0xFFFF
  static let max32 = 0xFFFF_FFFF
  static let zip64Field = 1

  enum Flag {
    static let encrypted = 1
    /// Checksum and sizes follow the data.
    static let descriptor = 1 << 3
    static let strongEncryption = 1 << 6
    static let utf8 = 1 << 11
  }

  static let stored = 0
  static let deflated = 8

  /// Returns true if the bytes begin like a ZIP archive, which may be empty.
  static func isArchive(_ prefix: [UInt8]) -> Bool {
    guard prefix.count >= 4 else { return false }
    return [localSignature, endSignature, end64Signature].contains(prefix.number32(at: 0))
  }

  /// Returns the possible starts of ends whose 22 bytes are all present.
  static func places(ofEndIn bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var places: [Int] = []
      var index = 0
      while index + endLength <= bytes.count {
        if bytes[index] == 0x50, bytes[index + 1] == 0x4B, bytes[index + 2] == 0x05, bytes[index + 3] == 0x06 {
          places.append(index)
        }
        index += 1
      }
      return places
    }
  }

  /// Returns the value of an extra field, or `nil` if it is missing.
  static func field(_ identifier: Int, of extra: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = extra
    while rest.count >= 4 {
      let length = rest.number16(at: 2)
      let value = rest.dropFirst(4).prefix(length)
      if rest.number16(at: 0) == identifier, value.count == length { return value }
      rest = rest.dropFirst(4 + length)
    }
    return nil
  }
}
