public import ByteStreams

/// An entry of a ZIP archive, as far as it is known before its data is read.
public struct ZIPEntry: Sendable, Hashable {
  /// The name in the archive, with `/` between folders.
  public let name: String
  /// The expanded size in bytes, or `nil` if the archive only states it after the data.
  public let size: Int?
  /// The compressed size in bytes, if known.
  public let compressedSize: Int?
  /// The offset of its header in the archive, from 0.
  public let offset: Int

  /// True if it is a folder, which has no data.
  public var isFolder: Bool { name.utf8.last == UInt8(ascii: "/") }
}

/// The limits of an archive. Anything beyond a limit is rejected before it uses memory or disk: sizes are those of the expanded
/// bytes, whatever the archive declares.
///
/// The defaults allow ten thousand photos and archives of many gigabytes.
public struct ZIPLimits: Sendable, Hashable {
  /// The number of entries, including folders. Folders implied by other names are counted separately, up to the same number.
  /// Memory: about 600 bytes plus the name for each.
  public var entries = 100_000
  /// The expanded size of all entries, in bytes.
  public var size = ExpansionLimits().size
  /// The maximum compression ratio of an entry that expands to more than 1 MiB, and of all entries together from that size on.
  public var ratio = ExpansionLimits().ratio
  /// The maximum length of a name with its folders, in bytes; a path component never exceeds 255.
  public var nameLength = 1024

  public init() {}

  /// Creates limits with the same size and ratio as those of compressed documents.
  public init(_ limits: ExpansionLimits) {
    size = limits.size
    ratio = limits.ratio
  }
}

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

  /// Returns true for the signature of a header, before an entry's data or in the directory.
  static func isHeader(_ signature: Int) -> Bool { signature == localSignature || signature == centralSignature }

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

/// A time in ZIP's format: a resolution of two seconds, from 1980 to 2107, in the writer's time zone.
public struct ZIPTime: Sendable, Hashable {
  let value: UInt32

  /// Creates a time from its value in an archive.
  init(value: UInt32) { self.value = value }

  /// 1 January 1980, as used by archives that don't record modification times.
  public static let earliest = ZIPTime(year: 1980, month: 1, day: 1)

  /// - Parameters:
  ///   - year: from 1980 to 2107.
  ///   - month: from 1.
  ///   - day: from 1.
  ///   - hour: from 0 to 23.
  ///   - minute: from 0 to 59.
  ///   - second: rounded down to an even number.
  /// - Returns: a time within ZIP's years; others are clamped.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    func bits(_ number: Int, _ range: ClosedRange<Int>, at shift: Int) -> UInt32 {
      UInt32(min(max(number, range.lowerBound), range.upperBound)) << UInt32(shift)
    }
    let date = bits(year - 1980, 0...127, at: 25) | bits(month, 1...12, at: 21) | bits(day, 1...31, at: 16)
    value = date | bits(hour, 0...23, at: 11) | bits(minute, 0...59, at: 5) | bits(second / 2, 0...29, at: 0)
  }
}

/// ZIP's little-endian numbers.
extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns the number at an offset, which must be within the bytes.
  func number16(at offset: Int) -> Int { Int(littleEndian(at: offset, count: 2)) }
  func number32(at offset: Int) -> Int { Int(littleEndian(at: offset, count: 4)) }

  /// Returns the number at an offset, or `nil` if it is greater than any size.
  func number64(at offset: Int) -> Int? { Int(exactly: littleEndian(at: offset, count: 8)) }
}

extension [UInt8] {
  mutating func append16(_ number: Int) { append(littleEndian: UInt16(truncatingIfNeeded: number)) }
  mutating func append32(_ number: Int) { append(littleEndian: UInt32(truncatingIfNeeded: number)) }
  mutating func append64(_ number: Int) { append(littleEndian: number) }
}

/// Errors of archives as a whole.
extension CofferError.Code {
  /// The bytes do not begin like a ZIP archive.
  public static let notZIP = Self(rawValue: "not-zip")
  /// The archive ends too early.
  public static let zipTruncated = Self(rawValue: "zip-truncated")
  /// The archive's data can't be expanded, or is invalid from some offset on.
  public static let zipCorrupt = Self(rawValue: "zip-corrupt")
  /// The directory and the headers before the entries disagree, or bytes belong to no entry.
  public static let zipInconsistent = Self(rawValue: "zip-inconsistent")
  /// The archive needs an unsupported feature, such as several disks.
  public static let zipUnsupported = Self(rawValue: "zip-unsupported")
}

/// Errors in individual entries of archives.
extension CofferError.Code {
  /// The entry's name leaves the target folder, or is not a valid file name on every system.
  public static let unsafeName = Self(rawValue: "path-unsafe")
  /// The entry is a symbolic link, a device or similar.
  public static let notAFile = Self(rawValue: "entry-type")
  /// Another entry has the same name, or one that equals it on some file systems.
  public static let duplicateName = Self(rawValue: "duplicate-entry")
  /// The entry's data needs a password, and is skipped.
  public static let zipEncrypted = Self(rawValue: "zip-encrypted")
  /// The entry's size differs from the declared one.
  public static let zipSize = Self(rawValue: "zip-size")
  /// The entry's data does not match its checksum (CRC-32).
  public static let zipChecksum = Self(rawValue: "zip-checksum")
}

extension CofferError {
  /// Creates the error of an archive or, with a name, of one of its entries.
  package init(_ code: Code, _ message: String, entry: String?) { self.init(code, message, at: Place(entry: entry)) }
}
