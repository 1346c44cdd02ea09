import Rules

extension Inspection {
  /// The format and version of a document after its descriptor's migrations.
  public struct Migration: Sendable, Equatable {
    /// The name of the new format, if it changes.
    public var format: String?
    public var version: Int?

    public init(format: String?, version: Int?) {
      self.format = format
      self.version = version
    }
  }
}

extension BackupFormat {
  /// Returns the results of the applicable migrations, as far as the document's start determines which apply.
  package func migrations(for prefix: [UInt8], in container: Container) -> [Inspection.Migration] {
    let outline = DocumentOutline(of: prefix, in: container, for: criterionPaths)
    let matcher = Pattern.Matcher()
    return
      migrations
      .filter { $0.clue?.holds(in: outline, matcher: matcher) ?? true }
      .map { Inspection.Migration(format: $0.becomes, version: $0.to) }
  }
}
