import ByteStreams
import Findings
import JSONEvents
import Pipelines
import Rules

/// The validation of one document by one program: its spine here, its collections' slices on all threads.
///
///     source ─▶ Slicer ─▶ spine ─▶ JSONEventReader ─▶ DocumentEvaluator ─▶ report
///                 └─▶ slices ─▶ OrderedPipeline: SliceEvaluator ─▶ partials ┘
///
/// A slice that is malformed after all is put back and read as spine with all that follows it: so errors are found by the same code, with the same
/// words, as in a document that is never cut.
struct DocumentValidation: ~Copyable {
  private let program: RuleProgram
  private let options: ValidationOptions
  private let evaluation: RuleEvaluator.Options
  private let slicer: Slicer
  private var reader: JSONEventReader
  private var evaluator: DocumentEvaluator
  /// Where the last slice ended that was merged.
  private var mergedEnd = 0

  init(_ source: any ByteSource, _ program: RuleProgram, _ options: ValidationOptions) {
    self.program = program
    self.options = options
    var random = SystemRandomNumberGenerator()
    var evaluation = RuleEvaluator.Options(now: options.now, key: SipHash128.Key(low: random.next(), high: random.next()))
    evaluation.maximumFindings = options.maximumFindings
    evaluation.redacts = options.redacts
    evaluation.memoryLimit = options.memoryLimit
    self.evaluation = evaluation
    slicer = Slicer(source, options: options.slices ?? Slicer.Options())
    if options.slices == nil { slicer.refuseAll() }
    reader = JSONEventReader(slicer, limits: options.limits)
    evaluator = DocumentEvaluator(program, options: evaluation)
  }

  /// Reads the document to its end.
  ///
  /// - Throws: `JSONReadError`, `ByteStreamError`, `CancellationError`. What was found before is in the report all the same.
  mutating func run() throws {
    while try reader.next() {
      try checkCancellation()
      try evaluator.consume(reader.batch, lines: reader.lines)
      if let recordsBefore = slicer.recordsBefore { try readCollection(recordsBefore) }
    }
    try evaluator.finish()
  }

  /// The reader stands in a large array, so many of whose items have come: the others are read as slices, if they can be.
  private mutating func readCollection(_ recordsBefore: Int) throws {
    guard reader.hasReadAll, let depth = slicer.depth,
      let context = evaluator.collection(depth: depth, recordsBefore: recordsBefore)
    else { return slicer.refuse() }
    var mergedCount = 0
    var bounds = evaluator.bounds
    let rest = try OrderedPipeline(jobs: options.jobs).run(
      next: { slicer.nextSlice().map { SliceWorker.Input(slice: $0, bounds: bounds) } },
      makeWorker: { [program, evaluation, limits = options.limits] in
        SliceWorker(evaluator: SliceEvaluator(program, options: evaluation, context: context, limits: limits))
      },
      merge: { input, partial in
        try checkCancellation()
        guard let partial else { return .stop }
        try evaluator.merge(partial, of: input.slice)
        bounds = evaluator.bounds
        mergedCount += 1
        mergedEnd = input.slice.end
        return .more
      })
    slicer.putBack(rest.map(\.slice))
    if mergedCount > 0 { reader.skipItems(to: slicer.spine.position, isBehindComma: slicer.spine.isBehindComma) }
  }

  private func checkCancellation() throws {
    if options.cancellation?.isRequested == true { throw CancellationError() }
  }

  /// Puts what has been found so far into a report.
  func describe(in report: inout ValidationReport) {
    report.bytes = max(reader.bytesRead, mergedEnd)
    report.records = evaluator.recordCount
    report.counts = evaluator.collector.counts
    report.findings = evaluator.collector.findings()
    report.version = evaluator.declaredVersion
  }
}

/// One thread's part.
private struct SliceWorker: Worker {
  struct Input: Sendable {
    let slice: Slice
    let bounds: ReportBounds
  }

  let evaluator: SliceEvaluator

  func process(_ input: Input) -> Partial? { evaluator.evaluate(input.slice, bounds: input.bounds) }
}
