public import BackupFormats
import ByteStreams
public import Rules

/// The source of the rules for a document.
public enum RuleSource: Sendable {
  /// The detected format. If no format or several formats match, the document is only checked for well-formedness, and is not
  /// valid.
  case detected(FormatCatalog)
  case format(BackupFormat)
  /// - Parameter name: the rules' name in reports.
  case document(RuleDocument, name: String)

  /// Returns a source without rules: every well-formed document is valid.
  public static func syntaxOnly() throws -> RuleSource {
    .document(try RuleDocument(MemorySource("true".utf8)), name: "syntax only")
  }
}

extension RuleSource {
  /// Returns the rules for an archive's document, whose name admits only some formats.
  func limited(to formats: [BackupFormat]) -> RuleSource {
    if case .detected = self { .detected(FormatCatalog(formats)) } else { self }
  }
}
