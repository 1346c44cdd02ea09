extension BackupFormat {
  /// The container of a document: in some formats, a separate file and an entry of a ZIP have different meanings.
  public enum Container: String, Sendable, CaseIterable {
    /// A separate file.
    case json
    /// An entry of a ZIP.
    case zip
  }
}
