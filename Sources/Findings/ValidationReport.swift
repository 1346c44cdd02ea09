/// What validating one document showed.
public struct ValidationReport: Sendable, Equatable {
  /// The document's name as it was given: a path, or `-`.
  public var file: String
  /// The format or rule document that it was checked against; `nil`: `formatProblem` says why there is none.
  public var format: String?
  /// Why no rules were applied. Such a document is not valid, even if it is well-formed.
  public var formatProblem: FormatProblem?
  /// What documents go by that differ so from others of the format, if it has a name for that.
  public var dialect: String?
  /// What told the format: the one that fits, or all that do, or if none does those that come nearest. Empty if it was named beforehand.
  public var candidates: [FormatCandidate] = []
  /// The version that the document declares, as its own text.
  public var version: String?
  /// What the collections are called whose records were not judged, because others were asked for.
  public var leftOut: [String] = []
  /// What the document was an entry of; `nil`: it was a file of its own.
  public var container: ContainerSummary?
  /// The document's size in bytes (uncompressed), as far as it was read.
  public var bytes = 0
  /// The number of items in the root array, or in the arrays that are the root object's own members.
  public var records = 0
  public var counts = FindingCounts()
  /// In document order; at most as many as were asked for.
  public var findings: [Finding] = []
  /// Why the document could not be read to its end. What was found before that place is still in `findings`.
  public var error: DocumentError?
  /// Seconds from the first byte to the verdict.
  public var seconds = 0.0

  public init(file: String) { self.file = file }

  /// Checked against rules, read to its end without an error, and no finding is one.
  public var isValid: Bool { error == nil && formatProblem == nil && counts.count(.error) == 0 }

  /// How many findings were counted but not kept.
  public var notShown: Int { counts.total - findings.count }

  /// Fewer findings are kept than were asked for, because the details of more would take more than `FindingCollector.memoryLimit`.
  public var findingsExceedMemory = false
}

/// Why the format of a document isn't known: then it is checked for well-formedness alone.
public enum FormatProblem: String, Sendable {
  /// No known format fits.
  case unknown = "unknown-format"
  /// Several formats fit.
  case ambiguous = "ambiguous-format"
}

/// A format that a document may be of, and why.
public struct FormatCandidate: Sendable, Hashable {
  public var name: String
  /// What the document shows of it, in words.
  public var reasons: [String]
  /// What it would have to show besides; empty if it fits.
  public var missing: [String]

  public init(name: String, reasons: [String], missing: [String]) {
    self.name = name
    self.reasons = reasons
    self.missing = missing
  }
}

/// What a container holds.
public struct ContainerSummary: Sendable, Hashable {
  /// Stable for programs: `zip`.
  public var kind: String
  public var entries: Int
  /// Of all entries, expanded.
  public var bytes: Int

  public init(kind: String, entries: Int, bytes: Int) {
    self.kind = kind
    self.entries = entries
    self.bytes = bytes
  }
}

/// Why a document could not be read: malformed, truncated, unreadable.
public struct DocumentError: Error, Sendable, Hashable {
  /// Stable for programs: `syntax`, `truncated`, `encoding`, `depth-limit`, `token-limit`, `not-found`, …
  public var code: String
  public var message: String
  /// Where, as far as it was a matter of the document's content.
  public var position: Position?

  public struct Position: Sendable, Hashable {
    /// From 1.
    public var line: Int
    /// From 1, in Unicode scalar values.
    public var column: Int
    /// From 0, in bytes.
    public var offset: Int

    public init(line: Int, column: Int, offset: Int) {
      self.line = line
      self.column = column
      self.offset = offset
    }
  }

  public init(code: String, message: String, position: Position?) {
    self.code = code
    self.message = message
    self.position = position
  }
}
