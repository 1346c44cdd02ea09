extension Int {
  /// `1 record`, `2 records`: this number of what the noun names.
  ///
  /// - Parameter digits: how the number is written; plainly unless told.
  package func counted(_ noun: String, _ nouns: String? = nil, digits: String? = nil) -> String {
    "\(digits ?? String(self)) \(self == 1 ? noun : nouns ?? noun + "s")"
  }
}
