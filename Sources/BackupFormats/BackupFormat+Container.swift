extension BackupFormat {
  /// What a document came in: some formats mean different things by a file of their own and by an entry of a ZIP.
  public enum Container: String, Sendable, CaseIterable {
    /// A file of its own.
    case json
    /// An entry of a ZIP.
    case zip
  }
}
