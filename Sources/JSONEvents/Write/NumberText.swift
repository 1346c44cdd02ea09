/// The grammar of numbers (RFC 8259, section 6).
package enum NumberText {
  ///     -   0 | 1-9 0-9…   . 0-9…   e +|- 0-9…
  package static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    func takes(_ byte: UInt8) -> Bool {
      guard index < text.count, text[index] == byte else { return false }
      index += 1
      return true
    }
    /// Skips digits and returns their number.
    func digits() -> Int {
      let start = index
      while index < text.count, text[index] &- UInt8(ascii: "0") < 10 { index += 1 }
      return index - start
    }
    _ = takes(UInt8(ascii: "-"))
    if !takes(UInt8(ascii: "0")), digits() == 0 { return false }
    if takes(UInt8(ascii: ".")), digits() == 0 { return false }
    if takes(UInt8(ascii: "e")) || takes(UInt8(ascii: "E")) {
      _ = takes(UInt8(ascii: "+")) || takes(UInt8(ascii: "-"))
      if digits() == 0 { return false }
    }
    return index == text.count
  }
}
