import Rules

extension FormatCatalog {
  /// The detected format of a document.
  public enum Detection: Sendable {
    case format(Candidate)
    /// No format fits. The nearest formats come first.
    case unknown(nearest: [Candidate])
    /// Several formats fit, and none is chosen.
    case ambiguous([Candidate])
  }

  /// A possible format of a document, with reasons.
  public struct Candidate: Sendable {
    public let format: BackupFormat
    /// The name of the document's dialect, if it has one.
    public let dialect: String?
    /// The criteria that the document satisfies: `/cars/*/milleageSyncedAt exists`.
    public let reasons: [String]
    /// The criteria that the document doesn't satisfy; empty if the format fits.
    public let missing: [String]
  }

  /// Detects the format of a document from its first bytes (``prefixSize`` of them are read).
  ///
  /// - Parameter container: The document's container.
  package func detect(in prefix: [UInt8], container: BackupFormat.Container = .json) -> Detection {
    detect(DocumentOutline(of: prefix, in: container, for: criterionPaths))
  }

  /// Detects the format of a document from its outline.
  package func detect(_ outline: DocumentOutline) -> Detection {
    let matcher = Pattern.Matcher()
    var fitting: [(entry: CatalogEntry, evidence: Evidence)] = []
    var others: [(entry: CatalogEntry, evidence: Evidence)] = []
    for entry in entries {
      guard let clue = entry.detection else { continue }
      let evidence = Evidence(of: clue, in: outline, matcher: matcher)
      if evidence.holds {
        fitting.append((entry, evidence))
      } else if evidence.marks > 1 || evidence.marks >= max(1, evidence.missing.count) {
        // A single name that several formats share doesn't make a document similar to any of them.
        others.append((entry, evidence))
      }
    }
    func candidate(_ entry: CatalogEntry, _ evidence: Evidence) -> Candidate {
      let format = entry.format
      return Candidate(
        format: format, dialect: evidence.holds ? format.dialect(in: outline) : nil, reasons: evidence.reasons,
        missing: evidence.missing)
    }
    switch fitting.count {
    case 0: return .unknown(nearest: others.sorted { $0.evidence.marks > $1.evidence.marks }.prefix(3).map(candidate))
    case 1: return .format(candidate(fitting[0].entry, fitting[0].evidence))
    default: return .ambiguous(fitting.map(candidate))
    }
  }

  /// Detects the format of an empty file by its name, which is the only evidence.
  ///
  /// - Parameter name: The file's name or path.
  package func detect(emptyFileNamed name: String) -> Candidate? {
    let name = name.split(separator: "/").last.map(String.init) ?? name
    let fitting = formats.filter { $0.emptyDocument != nil && $0.fileName?.fits(name) == true }
    guard fitting.count == 1, let format = fitting.first else { return nil }
    return Candidate(format: format, dialect: nil, reasons: ["it is empty and named \(name)"], missing: [])
  }

  /// The number of bytes of a document that ``detect(in:container:)`` reads.
  package static var prefixSize: Int { DocumentOutline.size }
}
