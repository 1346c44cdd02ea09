extension BackupFormat {
  /// A JSON encoder, identified by its indentation.
  public enum Encoder: String, Sendable, Hashable, CaseIterable {
    /// Apple's `JSONEncoder`: 2 spaces per level, a space on both sides of the colon, `\/`, an empty line in empty containers.
    case apple
    /// Kotlin's `kotlinx.serialization`: 4 spaces per level.
    case kotlin
  }
}
