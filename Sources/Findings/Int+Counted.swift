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
