public import BackupFormats
public import ByteStreams
import CompressedStreams
import JSONEvents
import Rules

/// A document and the rules that apply to it: the step after `OpenedBackup`.
struct IdentifiedDocument {
  enum Identity {
    /// - Parameter match: why it was detected, or `nil` if the caller named the format.
    case format(BackupFormat, match: FormatCatalog.Candidate?)
    case rules(RuleDocument, name: String)
    /// No format fits, or several do.
    case undetected(DetectionError)
  }

  let identity: Identity
  /// The document's first bytes, as many as detection needed.
  let prefix: [UInt8]
  /// The document from its start. If it is empty and its format allows that, this is the document that the format defines for
  /// empty files.
  let source: any ByteSource
  /// The text of `source` if the document is empty and its format allows that.
  let emptyDocumentSubstitute: String?

  /// - Parameters:
  ///   - source: the document, decompressed.
  ///   - name: the file's name, which identifies an empty file.
  ///   - prefixSize: the number of bytes to examine if the format was named; detection always examines
  ///     `FormatCatalog.prefixSize`.
  init(
    _ source: any ByteSource, rules: RuleSource, named name: String, syntax: JSONSyntax = .json,
    in container: BackupFormat.Container = .json, prefixSize: Int = 1
  ) throws(CofferError) {
    var source = source
    let identity: Identity
    var prefix: [UInt8] = []
    switch rules {
    case .document(let document, let name): identity = .rules(document, name: name)
    case .format(let format):
      identity = .format(format, match: nil)
      prefix = try source.readPrefix(prefixSize)
    // JSON Lines have no format.
    case .detected where syntax == .jsonLines: identity = Identity(.unknown(nearest: []))
    case .detected(let catalog):
      prefix = try source.readPrefix(FormatCatalog.prefixSize)
      let empty = prefix.isEmpty ? catalog.detect(emptyFileNamed: name) : nil
      identity = Identity(empty.map { .format($0) } ?? catalog.detect(in: prefix, container: container))
    }
    var substitute: String?
    if prefix.isEmpty, case .format(let format, _) = identity { substitute = format.emptyDocument }
    self.identity = identity
    self.prefix = prefix
    self.source = substitute.map { MemorySource($0.utf8) } ?? PrefixedSource(prefix: prefix, rest: source)
    emptyDocumentSubstitute = substitute
  }
}

extension IdentifiedDocument.Identity {
  fileprivate init(_ detection: FormatCatalog.Detection) {
    do throws(DetectionError) {
      let match = try detection.decided()
      self = .format(match.format, match: match)
    } catch {
      self = .undetected(error)
    }
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

/// The reason why a document's format can't be detected.
struct DetectionError: Error {
  enum Code { case unknown, ambiguous }

  let code: Code
  /// The message, with a remedy.
  let message: String
  /// The formats that fit; if none does, the closest ones.
  let candidates: [FormatCatalog.Candidate]
}

extension FormatCatalog.Detection {
  /// Returns the format that fits.
  ///
  /// - Throws: an error if no format or several formats fit, with the same message for all callers.
  func decided() throws(DetectionError) -> FormatCatalog.Candidate {
    switch self {
    case .format(let match): return match
    case .unknown(let nearest):
      let near = nearest.first.map { "; the closest is '\($0.format.name)', but: \(Self.few($0.missing, "; "))" } ?? ""
      throw DetectionError(
        code: .unknown, message: "unknown format: name one with --rules\(near)", candidates: nearest)
    case .ambiguous(let matches):
      let candidates = matches.map { "\($0.format.name), for \(Self.few($0.reasons, ", "))" }
      throw DetectionError(
        code: .ambiguous, message: "several formats fit: name one with --rules (\(Self.few(candidates, "; ")))",
        candidates: matches)
    }
  }

  /// Joins the first three texts, and counts the others.
  private static func few(_ texts: [String], _ separator: String) -> String {
    texts.prefix(3).joined(separator: separator) + (texts.count > 3 ? "\(separator)and \(texts.count - 3) more" : "")
  }
}
