import Coffer

extension FormatCatalog {
  /// Returns the shipped formats, preceded by the user's own format if there is one.
  static func builtIn(with own: BackupFormat?) -> FormatCatalog {
    builtIn.preceded(by: own.map { [$0] } ?? [])
  }
}
