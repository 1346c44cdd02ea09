/// Untrusted text (names, keys, values, rule documents) must not control a terminal or forge lines of a report.
extension String {
  /// The text as one line: control characters and those that change the text direction are written as `\u{…}`.
  package var printable: String { escaping(\.isUnprintable) { "\\u{" + $0 + "}" } }

  /// The JSON text with the same characters written as JSON escapes, except white space between tokens. The values stay the same.
  ///
  /// These characters occur only in strings, which contain no such white space; all of them have four digits.
  package var printableJSON: String {
    escaping({ $0.isUnprintable && !["\t", "\n", "\r"].contains($0) }) {
      "\\u" + String(repeating: "0", count: 4 - $0.count) + $0
    }
  }

  /// The text with some characters as escapes.
  ///
  /// - Parameter escape: makes the escape of a character's hexadecimal digits.
  package func escaping(_ isEscaped: (Unicode.Scalar) -> Bool, as escape: (_ digits: String) -> String) -> String {
    guard unicodeScalars.contains(where: isEscaped) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if isEscaped(scalar) {
        text += escape(String(scalar.value, radix: 16, uppercase: true))
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Returns the text with its middle removed if it exceeds `limit` bytes: `abc…(1048570 bytes cut)…xyz`.
  package func shortened(to limit: Int) -> String {
    if utf8.count <= limit { return self }
    var head = utf8.index(startIndex, offsetBy: limit / 2)
    var tail = utf8.index(endIndex, offsetBy: -(limit / 2))
    while utf8[head] & 0xC0 == 0x80 { head = utf8.index(before: head) }
    while tail < endIndex, utf8[tail] & 0xC0 == 0x80 { tail = utf8.index(after: tail) }
    return "\(self[..<head])…(\(utf8.distance(from: head, to: tail)) bytes cut)…\(self[tail...])"
  }
}
