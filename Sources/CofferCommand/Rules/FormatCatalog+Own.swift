import Coffer

extension FormatCatalog {
  /// Returns the built-in formats, preceded by the user's own format if there is one.
  static func builtIn(with own: BackupFormat?) -> FormatCatalog {
    builtIn.preceded(by: own.map { [$0] } ?? [])
  }

  /// What a message adds for an unknown name: the nearest one, or all.
  func hint(for name: String) -> String {
    let suggestion = Suggestion.text(for: name, among: names)
    return suggestion.isEmpty ? "; the formats are \(names.joined(separator: ", "))" : suggestion
  }
}
