public import BackupFormats
public import ByteStreams
import CompressedStreams
import JSONEvents
import Rules

/// A document and the rules that apply to it: the step after opening it.
struct IdentifiedDocument {
  enum Identity {
    /// - Parameter match: why it was detected, or `nil` if the caller named the format.
    case format(BackupFormat, match: FormatCatalog.Candidate?)
    indirect case rules(RuleDocument, name: String)
    /// No format fits, or several do.
    case undetected(FormatCatalog.Detection)
  }

  let identity: Identity
  /// The document's first bytes, as many as detection needed.
  let prefix: [UInt8]
  /// The document from its start. If it is empty and its format allows that, this is the document that the format defines for
  /// empty files.
  let source: any ByteSource
  /// The text of `source` if the document is empty and its format allows that.
  let emptyDocumentSubstitute: String?

  init(_ document: OpenedDocument, rules: RuleSource, syntax: JSONSyntax) throws(CofferError) {
    var source = document.source
    let identity: Identity
    var prefix: [UInt8] = []
    switch rules {
    case .document(let document, let name): identity = .rules(document, name: name)
    case .format(let format):
      identity = .format(format, match: nil)
      prefix = try source.readPrefix(FormatCatalog.prefixSize)
    // Lines and sequences have no format.
    case .detected where syntax != .json: identity = Identity(.unknown(nearest: []))
    case .detected(let catalog):
      prefix = try source.readPrefix(FormatCatalog.prefixSize)
      if JSONSyntax.isSequence(prefix) {
        identity = Identity(.unknown(nearest: []))
        break
      }
      let empty = prefix.isEmpty ? catalog.detect(emptyFileNamed: document.name) : nil
      identity = Identity(empty.map { .format($0) } ?? catalog.detect(in: prefix, container: document.container))
    }
    var substitute: String?
    if prefix.isEmpty, case .format(let format, _) = identity { substitute = format.emptyDocument }
    self.identity = identity
    self.prefix = prefix
    let isWhole = !prefix.isEmpty && prefix.count < FormatCatalog.prefixSize
    self.source =
      substitute.map { MemorySource($0.utf8) } ?? PrefixedSource(prefix: prefix, rest: source, isWhole: isWhole)
    emptyDocumentSubstitute = substitute
  }
}

extension IdentifiedDocument.Identity {
  /// `nil` if it is unknown or the rules don't describe one.
  var format: BackupFormat? { if case .format(let format, _) = self { format } else { nil } }

  var rules: RuleDocument? {
    switch self {
    case .format(let format, _): format.rules
    case .rules(let rules, _): rules
    case .undetected: nil
    }
  }

  fileprivate init(_ detection: FormatCatalog.Detection) {
    if case .format(let match) = detection { self = .format(match.format, match: match) } else { self = .undetected(detection) }
  }
}

extension FormatCatalog {
  /// Reads the start of a document, and detects its format.
  ///
  /// - Parameters:
  ///   - source: the document, or compressed data that holds it.
  ///   - container: the document's container.
  public func detect(
    _ source: some ByteSource, container: BackupFormat.Container = .json
  ) throws(CofferError) -> Detection {
    var source = try Decompression(source).source
    return detect(in: try source.readPrefix(Self.prefixSize), container: container)
  }
}

/// What callers say about a document whose format isn't detected.
extension FormatCatalog.Detection {
  var isAmbiguous: Bool { if case .ambiguous = self { true } else { false } }

  /// The formats that fit; if none does, the closest ones.
  var candidates: [FormatCatalog.Candidate] {
    switch self {
    case .format(let match): [match]
    case .unknown(let nearest): nearest
    case .ambiguous(let matches): matches
    }
  }

  /// The error.
  var problem: CofferError {
    if isAmbiguous {
      let texts = candidates.map { "\($0.format.name), for \(Self.few($0.reasons, ", "))" }
      return CofferError(.ambiguousFormat, "several formats fit: \(Self.few(texts, "; "))")
    }
    let near = candidates.first.map { "; the closest is '\($0.format.name)', but: \(Self.few($0.missing, "; "))" } ?? ""
    return CofferError(.unknownFormat, "unknown format\(near)")
  }

  /// Joins the first three texts, and counts the others.
  private static func few(_ texts: [String], _ separator: String) -> String {
    texts.prefix(3).joined(separator: separator) + (texts.count > 3 ? "\(separator)and \(texts.count - 3) more" : "")
  }
}
