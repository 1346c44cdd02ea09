/// A UUID of version 4 in capitals, as the phone names its scheduled notifications.
struct NotificationIdentifier: Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Distinct for distinct indices: the 64 bits of a bijection of the index are all kept, those that make room for the version
  /// moving to the end of the low half.
  init(seed: UInt64, index: Int) {
    let unique = RandomSource.mixed(seed &+ UInt64(index))
    high = unique & ~0xF000 | 0x4000
    let random = RandomSource.mixed(unique ^ seed)
    low = random & 0x3FFF_FFFF_FFFF_FFF0 | 0x8000_0000_0000_0000 | unique >> 12 & 0xF
  }

  func write(to text: inout TextBuffer) {
    text.append(hexadecimal: high, digits: 0..<8)
    text.append(UInt8(ascii: "-"))
    text.append(hexadecimal: high, digits: 8..<12)
    text.append(UInt8(ascii: "-"))
    text.append(hexadecimal: high, digits: 12..<16)
    text.append(UInt8(ascii: "-"))
    text.append(hexadecimal: low, digits: 0..<4)
    text.append(UInt8(ascii: "-"))
    text.append(hexadecimal: low, digits: 4..<16)
  }

  var text: String {
    var buffer = TextBuffer()
    write(to: &buffer)
    return buffer.string
  }
}
