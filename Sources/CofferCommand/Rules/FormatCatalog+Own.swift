import Coffer

extension FormatCatalog {
  /// Returns the shipped formats, preceded by the user's own format if there is one.
  static func builtIn(with own: BackupFormat?) -> FormatCatalog {
    builtIn.preceded(by: own.map { [$0] } ?? [])
  }

  /// What a message adds for an unknown name.
  func hint(for name: String) -> String {
    nearest(to: name).map { "did you mean '\($0)'?" } ?? "the formats are \(names.joined(separator: ", "))"
  }
}
