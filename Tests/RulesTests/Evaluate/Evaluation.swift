import ByteStreams
import Findings
import JSONEvents
import Rules

/// The result of a document's evaluation, in a form for tests.
struct Evaluation {
  let findings: [Finding]
  let counts: FindingCounts
  let records: Int
  let version: String?
  /// The number of values that each rule applied to, by its place in the rule document; only those that are counted.
  let values: [String: Int]

  /// `code pointer`, in document order.
  var lines: [String] { findings.map { "\($0.code) \($0.place.pointer)" } }
  var isValid: Bool { counts.count(.error) == 0 }

  static let now = Instant(seconds: 1_782_681_300)  // 2026-06-28T21:15:00Z

  /// Evaluates `document` with `rules`, both JSON text.
  ///
  /// - Throws: `CofferError` for invalid rules, or for a malformed document.
  init(
    _ rules: String, _ document: String, chunkSize: Int = 1 << 16, maximumFindings: Int = 1000, redacts: Bool = false,
    memoryLimit: Int = 256 << 20, formats: RuleDocument.FormatAssertion = .byDialect, folders: [RuleDocument.Folder] = []
  ) throws {
    var options = RuleDocument.Options()
    options.formats = formats
    options.folders = folders
    try self.init(
      try RuleDocument(MemorySource(rules.utf8), options: options).compiled(), document, chunkSize: chunkSize,
      maximumFindings: maximumFindings, redacts: redacts, memoryLimit: memoryLimit)
  }

  init(
    _ program: RuleProgram, _ document: String, chunkSize: Int = 1 << 16, maximumFindings: Int = 1000, redacts: Bool = false,
    memoryLimit: Int = 256 << 20
  ) throws {
    var limits = ReaderLimits()
    limits.chunkSize = chunkSize
    var reader = JSONEventReader(MemorySource(document.utf8), limits: limits)
    var options = EvaluationOptions(now: Self.now, key: SipHash128.Key(low: 1, high: 2))
    options.maximumFindings = maximumFindings
    options.redacts = redacts
    options.memoryLimit = memoryLimit
    var evaluator = DocumentEvaluator(program, options: options)
    while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
    try evaluator.finish()
    findings = evaluator.collector.findings()
    counts = evaluator.collector.counts
    records = evaluator.recordCount ?? 0
    version = evaluator.declaredVersion
    let applied = Dictionary(uniqueKeysWithValues: evaluator.ruleValues.map { ($0.schemaLocation, $0.count) })
    let counted = program.checkedRules.filter(\.isCounted).map(\.schemaLocation)
    values = Dictionary(uniqueKeysWithValues: counted.map { ($0, applied[$0] ?? 0) })
  }
}
