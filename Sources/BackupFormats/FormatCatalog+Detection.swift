import Rules

extension FormatCatalog {
  /// What a document is, as its start shows.
  public enum Detection: Sendable {
    case format(Candidate)
    /// No format fits. Those come first of which the document shows most.
    case unknown(nearest: [Candidate])
    /// Several formats fit; none is chosen.
    case ambiguous([Candidate])
  }

  /// A format that a document may be of, and why.
  public struct Candidate: Sendable {
    public let format: BackupFormat
    /// What documents go by that differ so from others of the format, if the descriptor has a name for it.
    public let dialect: String?
    /// What the document shows of the format, in words: `/cars/*/milleageSyncedAt is there`.
    public let reasons: [String]
    /// What it would have to show besides; empty if it fits.
    public let missing: [String]
  }

  /// Tells the format of a document by its first bytes (``prefixSize`` of them are looked at).
  ///
  /// - Parameter container: what the document stands in.
  package func detect(in prefix: [UInt8], container: BackupFormat.Container = .json) -> Detection {
    detect(DocumentOutline(of: prefix, in: container, for: cluePaths))
  }

  /// The same for a document whose outline is known.
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
        // One name that several formats have makes a document like none of them.
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

  /// The format whose backups may be files of no bytes, told by the file's name, which is all that there is.
  ///
  /// - Parameter name: the file's name, or its path.
  package func detect(emptyFileNamed name: String) -> Candidate? {
    let name = name.split(separator: "/").last.map(String.init) ?? name
    let fitting = formats.filter { $0.emptyDocument != nil && $0.fileName?.fits(name) == true }
    guard fitting.count == 1, let format = fitting.first else { return nil }
    return Candidate(format: format, dialect: nil, reasons: ["it has no bytes and is called \(name)"], missing: [])
  }

  /// How many bytes of a document ``detect(in:container:)`` looks at.
  package static var prefixSize: Int { DocumentOutline.size }
}
