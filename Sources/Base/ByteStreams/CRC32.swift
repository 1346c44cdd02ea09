import CZlib

/// The checksum of ZIP entries and gzip members (RFC 1952, 8).
package struct CRC32: Sendable, Equatable {
  package private(set) var value: UInt32 = 0

  package init() {}

  /// Creates a checksum from a known value.
  package init(value: UInt32) { self.value = value }

  package init(of bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start, bytes.count))
  }

  /// Adds the checksum of `size` bytes after these.
  package mutating func add(_ next: CRC32, size: Int) {
    value = UInt32(truncatingIfNeeded: crc32_combine(UInt(value), UInt(next.value), size))
  }
}
