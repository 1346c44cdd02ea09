extension BackupFormat {
  /// An encoder of JSON, known by how it indents.
  public enum Encoder: String, Sendable, Hashable, CaseIterable {
    /// Apple's `JSONEncoder`: 2 blanks a level, a blank on both sides of the colon, `\/`, an empty line in empty containers.
    case apple
    /// Kotlin's `kotlinx.serialization`: 4 blanks a level.
    case kotlin
  }
}
