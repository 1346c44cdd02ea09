/// The pattern of texts with a shape.
extension TextShape {
  /// A pattern for `pattern`, or `nil` if the shape says little: it has no digits, doesn't vary, or is one run of any length.
  var pattern: String? {
    guard let runs, runs.contains(where: { $0.kinds & Run.digit != 0 }), runs.contains(where: { !$0.isConstant }) else {
      return nil
    }
    guard runs.count > 1 || runs[0].minimum == runs[0].maximum && runs[0].minimum >= 6 else { return nil }
    return "^" + runs.map(\.pattern).joined() + "$"
  }
}

extension TextShape.Run {
  fileprivate var pattern: String {
    if separator != 0 {
      let character = String(UnicodeScalar(separator))
      return "\\^$.*+?()[]{}|/".contains(character) ? "\\" + character : character
    }
    if isConstant { return String(decoding: prefix, as: UTF8.self) }
    // Letters that all have at the start, as in INV000123.
    let letters = prefix.prefix { $0 >= 0x41 }
    let head = letters.count < minimum ? String(decoding: letters, as: UTF8.self) : ""
    var characters = ""
    if kinds & Self.digit != 0 { characters += "0-9" }
    if kinds & (Self.upper | Self.upperHex) != 0 { characters += kinds & Self.upper != 0 ? "A-Z" : "A-F" }
    if kinds & (Self.lower | Self.lowerHex) != 0 { characters += kinds & Self.lower != 0 ? "a-z" : "a-f" }
    return head + "[\(characters)]" + (minimum == maximum ? "{\(minimum - head.utf8.count)}" : "+")
  }
}
