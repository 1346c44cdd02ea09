/// The grammar of numbers (RFC 8259, section 6).
///
///     -   0 | 1-9 0-9…   . 0-9…   e +|- 0-9…
package enum NumberText {
  /// What a text lacks to be a number.
  enum Missing: String {
    case wholeDigits = "a digit after '-'"
    case fraction = "a digit after '.'"
    case exponent = "a digit in the exponent"
  }

  package static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // Most numbers are integers.
    let first = text.first == UInt8(ascii: "-") ? 1 : 0
    var index = first
    while index < text.count, text[index] &- UInt8(ascii: "0") < 10 { index += 1 }
    if index == text.count { return index > first && (text[first] != UInt8(ascii: "0") || index == first + 1) }
    let (end, missing) = scan(text)
    return end == text.count && missing == nil
  }

  /// Returns the end of the number that the text begins with, or of its part before what is missing.
  static func scan(_ text: UnsafeBufferPointer<UInt8>) -> (end: Int, missing: Missing?) {
    var index = 0
    func takes(_ byte: UInt8) -> Bool {
      guard index < text.count, text[index] == byte else { return false }
      index += 1
      return true
    }
    func takesDigits() -> Bool {
      let start = index
      while index < text.count, text[index] &- UInt8(ascii: "0") < 10 { index += 1 }
      return index > start
    }
    _ = takes(UInt8(ascii: "-"))
    if !takes(UInt8(ascii: "0")), !takesDigits() { return (index, .wholeDigits) }
    if takes(UInt8(ascii: ".")), !takesDigits() { return (index, .fraction) }
    if takes(UInt8(ascii: "e")) || takes(UInt8(ascii: "E")) {
      _ = takes(UInt8(ascii: "+")) || takes(UInt8(ascii: "-"))
      if !takesDigits() { return (index, .exponent) }
    }
    return (index, nil)
  }
}
