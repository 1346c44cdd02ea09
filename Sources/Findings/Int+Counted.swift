extension Int {
  /// Returns this number with its noun in the singular or plural: `1 record`, `2 records`.
  ///
  /// - Parameter digits: the number as text (default: its plain digits).
  package func counted(_ noun: String, _ nouns: String? = nil, digits: String? = nil) -> String {
    "\(digits ?? String(self)) \(self == 1 ? noun : nouns ?? noun + "s")"
  }
}
