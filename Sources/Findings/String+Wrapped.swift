extension String {
  /// Returns a label and the text, which continues below itself if the terminal is too narrow.
  ///
  /// - Parameter columns: the columns of the terminal. If `nil`, there is only one line.
  package func wrapped(after label: String, columns: Int?) -> [String] {
    guard let columns else { return [label + self] }
    let indentation = String(repeating: " ", count: label.count)
    return wrapped(to: max(20, columns - label.count)).enumerated()
      .map { ($0.offset == 0 ? label : indentation) + $0.element }
  }

  /// Returns the text in lines of at most `width` characters, broken between words. A longer word gets a line of its own.
  package func wrapped(to width: Int) -> [String] {
    var lines = [""]
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let last = lines.count - 1
      if lines[last].isEmpty {
        lines[last] += word
      } else if lines[last].count + 1 + word.count <= width {
        lines[last] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Int {
  /// The number as text for people, with digits in groups of three: `1,234,567`.
  package var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }

  /// Returns this number with its noun in the singular or plural: `1 record`, `2,000 records`.
  package func counted(_ noun: String, _ nouns: String? = nil) -> String {
    "\(grouped) \(self == 1 ? noun : nouns ?? noun + "s")"
  }
}
