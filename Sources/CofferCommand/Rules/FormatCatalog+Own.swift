import Coffer

extension FormatCatalog {
  /// The formats that ship with Coffer, and before them one of the user's own, if there is one.
  static func builtIn(with own: BackupFormat?) throws -> FormatCatalog {
    try builtIn().preceded(by: own.map { [$0] } ?? [])
  }
}
