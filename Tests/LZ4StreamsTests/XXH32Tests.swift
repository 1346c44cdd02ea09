import Testing

@testable import LZ4Streams

/// `ProgramTests` compare hashes of long content with those of `lz4`.
@Suite struct XXH32Tests {
  @Test(
    arguments: [
      ("", 0x02CC_5D05), ("a", 0x550D_7456), ("abc", 0x32D1_53FF), ("Nobody inspects the spammish repetition", 0xE229_3B2F),
    ] as [(String, UInt32)])
  func `published hashes are reproduced`(text: String, hash: UInt32) {
    #expect(Array(text.utf8).withUnsafeBytes { XXH32.digest(of: $0) } == hash)
  }

  @Test func `pieces have the hash of the whole`() {
    let bytes = Sample.noise(size: 103)
    let whole = bytes.withUnsafeBytes { XXH32.digest(of: $0) }
    for first in 0...bytes.count {
      for second in [first, min(first + 1, bytes.count), (first + bytes.count) / 2] {
        var hash = XXH32()
        for part in [bytes[..<first], bytes[first..<second], bytes[second...]] { part.withUnsafeBytes { hash.update($0) } }
        #expect(hash.digest == whole, "in pieces at \(first) and \(second)")
      }
    }
  }
}
