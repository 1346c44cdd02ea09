/// What others made up (names, keys, values, rule documents) must not drive a terminal, nor forge lines of a report.
extension String {
  /// One line: with control characters, and those that turn the direction of text, written as `\u{…}`.
  package var printable: String { escaping(\.isUnprintable) { "\\u{" + $0 + "}" } }

  /// A JSON text: the same characters are written as JSON's escapes, but for white space between its tokens. The values stay the same.
  ///
  /// Such characters can stand nowhere but in strings, which hold no such white space; all of them have four digits.
  package var printableJSON: String {
    escaping({ $0.isUnprintable && !["\t", "\n", "\r"].contains($0) }) {
      "\\u" + String(repeating: "0", count: 4 - $0.count) + $0
    }
  }

  private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool, as escape: (_ digits: String) -> String) -> String {
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
