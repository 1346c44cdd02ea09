import JSONEvents
import Testing

@testable import Rules

@Suite struct SipHash128Tests {
  /// Key 00 … 0f, little endian.
  private static let key = SipHash128.Key(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)

  private func digest(_ bytes: [UInt8], key: SipHash128.Key = key) -> [UInt8] {
    // An additional byte keeps the pointer valid for empty input.
    let (low, high) = (bytes + [0xFF]).withUnsafeBufferPointer { buffer -> (UInt64, UInt64) in
      guard let base = buffer.baseAddress else { return (0, 0) }
      return SipHash128.digest(of: ByteView(base, count: bytes.count), key: key)
    }
    return [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  /// The reference implementation's `vectors_sip128`: the input is 00, 01, … up to its count.
  @Test(arguments: [
    (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"), (2, "8177228da4a45dc7fca38bdef60affe4"),
    (3, "9c70b60c5267a94e5f33b6b02985ed51"), (4, "f88164c12d9c8faf7d0f6e7c7bcd5579"), (5, "1368875980776f8854527a07690e9627"),
    (6, "14eeca338b208613485ea0308fd7a15e"), (7, "a1f1ebbed8dbc153c0b84aa61ff08239"), (8, "3b62a9ba6258f5610f83e264f31497b4"),
    (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
  ])
  func `digests equal those of the reference implementation`(count: Int, expected: String) {
    let text = digest((0..<count).map { UInt8($0) }).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(text == expected)
  }

  @Test func `every bit of the input and the key changes the digest`() {
    let bytes = [UInt8](repeating: 0x5A, count: 40)
    var digests: Set<[UInt8]> = [
      digest(bytes), digest(bytes, key: .init(low: 1, high: 2)), digest(bytes, key: .init(low: 1, high: 3)),
    ]
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      digests.insert(digest(changed))
    }
    #expect(digests.count == 3 + bytes.count * 8)
  }
}
