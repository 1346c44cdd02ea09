import Rules

extension Inspection {
  /// What a document would be after the migrations that its descriptor has for it.
  public struct Migration: Sendable, Equatable {
    /// The format's name, if that changes.
    public var format: String?
    public var version: Int?

    public init(format: String?, version: Int?) {
      self.format = format
      self.version = version
    }
  }
}

extension BackupFormat {
  /// What the descriptor's migrations lead to, one by one, as far as the document's start shows what they are for.
  package func migrations(for prefix: [UInt8], in container: Container) -> [Inspection.Migration] {
    let outline = DocumentOutline(of: prefix, in: container, for: cluePaths)
    let matcher = Pattern.Matcher()
    return
      migrations
      .filter { $0.clue?.holds(in: outline, matcher: matcher) ?? true }
      .map { Inspection.Migration(format: $0.becomes, version: $0.to) }
  }
}
