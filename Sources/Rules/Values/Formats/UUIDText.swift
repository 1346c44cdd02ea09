import CByteScan
import JSONEvents

/// A UUID as text: 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4).
struct UUIDText {
  /// The sixteen bytes of the UUID, the first one in the highest byte.
  let high: UInt64
  let low: UInt64
  private let letters: CInt

  init?(_ text: ByteView) {
    guard text.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    let letters = text.withUnsafeBytes { coffer_read_uuid($0.baseAddress, &high, &low) }
    if letters < 0 { return nil }
    (self.high, self.low, self.letters) = (high, low, letters)
  }

  var hasCapitals: Bool { letters & CInt(COFFER_UUID_CAPITALS) != 0 }
  var hasSmallLetters: Bool { letters & CInt(COFFER_UUID_SMALL_LETTERS) != 0 }
}
