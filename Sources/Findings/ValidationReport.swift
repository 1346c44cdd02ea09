public import ByteStreams

/// The result of validating one document.
public struct ValidationReport: Sendable, Equatable {
  /// The document's name as given by the caller: a path, or `-`.
  public var file: String
  /// The format or rule document that the document was checked against. If `nil`, `formatProblem` gives the reason.
  public var format: String?
  /// The reason why no rules were applied. Such a document is not valid, even if it is well-formed.
  public var formatProblem: FormatProblem?
  /// The dialect of the format that the document uses, if it has a name.
  public var dialect: String?
  /// The detected formats: the one that fits, all that fit, or the nearest ones if none fits. Empty if the caller named the
  /// format.
  public var candidates: [FormatCandidate] = []
  /// The version that the document declares, as spelled there.
  public var version: String?
  /// The names of the collections that were not validated because the caller selected others.
  public var leftOut: [String] = []
  /// The container that the document is an entry of, or `nil` if the document is a file.
  public var container: ContainerSummary?
  /// The document's size in bytes (uncompressed), as far as it was read.
  public var bytes = 0
  /// The number of items in the root array, or in the arrays that are direct members of the root object.
  public var records = 0
  /// The records of each such array that was read to its end, in document order: at most 1,000.
  public var collections: [CollectionCount] = []
  public var counts = FindingCounts()
  /// A fair choice of the findings (`FairChoice`), up to the requested number, in document order.
  public var findings: [Finding] = []
  /// Where the findings are, also those that were only counted.
  public var distribution = FindingDistribution()
  /// The findings among `counts` that a baseline accepts.
  public var acceptedCounts = FindingCounts()
  /// The findings of the baseline that the document no longer has, or `nil` if it wasn't compared with a baseline.
  public var resolved: ResolvedFindings?
  /// The rules that the document was checked against, those without findings too; empty: they aren't known.
  public var checkedRules: [CheckedRule] = []
  /// The values that rules applied to, in the order of their places. Rules that applied to none are left out. `nil`: not known.
  public var ruleValues: [RuleValues]?
  /// True if the document is an array, and the rules only describe other values: they may be meant for each item.
  public var mayNeedEach = false
  /// The error that ended reading before the document's end. `findings` still holds the findings before that place.
  public var error: CofferError?
  /// The time from the first byte to the result, in seconds.
  public var seconds = 0.0

  public init(file: String) { self.file = file }

  /// Decides which findings make the document invalid.
  public var policy = FailurePolicy()

  /// True if the document was checked against rules and read to its end without an error, and no finding makes it invalid: by
  /// default errors, except those that a baseline accepts.
  public var isValid: Bool { error == nil && formatProblem == nil && policy.failures(in: self).total == 0 }

  /// The number of values that each rule applied to, by its place in the rule document, except for rules that applied to none. `nil`: not
  /// known.
  package var valuesByPlace: [String: Int]? {
    ruleValues.map { Dictionary($0.map { ($0.schemaLocation, $0.count) }) { first, _ in first } }
  }

  /// The number of findings that were counted but not kept.
  public var notShown: Int { counts.total - findings.count }

  /// True if fewer findings than requested are kept because the details of more would exceed `FindingCollector.memoryLimit`.
  public var findingsExceedMemory = false
}

/// The reason why a document's format isn't known. Such a document is only checked for well-formedness.
public enum FormatProblem: String, Sendable, Codable {
  /// No known format fits.
  case unknown = "unknown-format"
  /// Several formats fit.
  case ambiguous = "ambiguous-format"
}

/// A format that a document may have, with the reasons.
public struct FormatCandidate: Sendable, Hashable, Codable {
  public var name: String
  /// Descriptions of the detection criteria that the document meets.
  public var reasons: [String]
  /// Descriptions of the detection criteria that the document doesn't meet; empty if the format fits.
  public var missing: [String]

  private enum CodingKeys: String, CodingKey { case name = "format", reasons, missing }

  public init(name: String, reasons: [String], missing: [String]) {
    self.name = name
    self.reasons = reasons
    self.missing = missing
  }
}

/// The number of records in an array.
public struct CollectionCount: Sendable, Hashable, Codable {
  /// The JSON Pointer of the array.
  public var pointer: String
  public var records: Int

  public init(pointer: String, records: Int) {
    self.pointer = pointer
    self.records = records
  }
}

/// A summary of a container's content.
public struct ContainerSummary: Sendable, Hashable, Codable {
  /// The kind of container, stable for programs: `zip`.
  public var kind: String
  public var entries: Int
  /// The uncompressed size of all entries.
  public var bytes: Int

  public init(kind: String, entries: Int, bytes: Int) {
    self.kind = kind
    self.entries = entries
    self.bytes = bytes
  }
}
