public import BackupFormats
public import ByteStreams
import CompressedStreams
public import Findings
public import Rules

/// The source of the rules for a document.
public enum RuleSource: Sendable {
  /// The detected format. If no format or several formats match, the document is only checked for well-formedness, and is not
  /// valid.
  case detected(FormatCatalog)
  case format(BackupFormat)
  /// - Parameter name: the rules' name in reports.
  indirect case document(RuleDocument, name: String)

  /// Returns a source without rules: every well-formed document is valid.
  public static func syntaxOnly() throws -> RuleSource {
    .document(try .syntaxOnly(), name: syntaxOnlyName)
  }

  /// Returns a source that applies the rules to every item of an array, each as a document of its own:
  /// `RuleDocument.forEachItem(of:)`.
  ///
  /// - Throws: `invalidPointer` if the place is not the JSON Pointer of an array, or rules must be detected.
  public func forEachItem(of pointer: String = "") throws(CofferError) -> RuleSource {
    switch self {
    case .detected: throw CofferError(.invalidPointer, "rules for each item must be named: formats of items are not detected")
    case .format(let format): return .document(try format.rules.forEachItem(of: pointer), name: format.name)
    case .document(let document, let name): return .document(try document.forEachItem(of: pointer), name: name)
    }
  }
}

extension RuleSource {
  /// The name of ``syntaxOnly()`` in reports.
  package static let syntaxOnlyName = "syntax only"

  /// Returns what the rules say and validation doesn't apply, or `nil` if there is nothing. Detected formats have nothing.
  ///
  /// - Parameter file: the name of the rule document.
  public func warnings(of file: String) -> RuleWarnings? {
    let rules: RuleDocument
    switch self {
    case .detected: return nil
    case .format(let format): rules = format.rules
    case .document(let document, _): rules = document
    }
    return RuleWarnings(file: file, counts: rules.warningCounts, findings: rules.warnings)
  }

  /// True if the rules depend on the document.
  package var areDetected: Bool { if case .detected = self { true } else { false } }

  /// Returns the rules for an archive's document, whose name admits only some formats.
  func limited(to formats: [BackupFormat]) -> RuleSource {
    areDetected ? .detected(FormatCatalog(formats)) : self
  }
}

extension RuleDocument {
  /// The text of the rules that every well-formed document fulfils.
  package static let syntaxOnlyText = "true"

  static func syntaxOnly() throws -> RuleDocument { try RuleDocument(MemorySource(syntaxOnlyText.utf8)) }

  /// Returns the text of a rule document, which may be compressed. It ends one byte after `sizeLimit`, so that the reader of the
  /// rules refuses a larger one.
  package static func text(of source: some ByteSource) throws(CofferError) -> [UInt8] {
    var document = try Decompression(source).source
    return try document.readPrefix(sizeLimit + 1)
  }
}
