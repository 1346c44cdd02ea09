package import BackupFormats
import ByteStreams
import Findings
package import JSONEvents
import Rules

/// Evaluates one document with one program.
struct ValidationConsumer: DocumentConsumer, ~Copyable {
  private let program: RuleProgram
  let evaluation: RuleEvaluator.Options
  private let limits: ReaderLimits
  private let progress: WorkProgress?
  private var evaluator: DocumentEvaluator
  /// Whether the document is an array; `nil` before it begins.
  private(set) var isArray: Bool?
  private let explainsKeys: Bool
  private var isSearch = false

  init(_ program: RuleProgram, _ options: ValidationOptions, of format: BackupFormat?, in container: BackupFormat.Container) {
    self.program = program
    var evaluation = RuleEvaluator.Options(now: options.now, key: options.digestKey ?? .random())
    evaluation.maximumFindings = options.keptFindings
    evaluation.findingMemory = options.findingMemory + (options.baseline?.count ?? 0) << 10
    evaluation.gathersEntries = container == .zip
    evaluation.versionIfAbsent = (format?.version?.ifAbsent[container]).map(Int64.init)
    evaluation.redacts = options.redacts
    evaluation.memoryLimit = options.execution.memoryLimit
    evaluation.temporaryFolder = options.execution.temporaryFolder
    evaluation.duplicateKeys = options.duplicateKeys.severity
    self.evaluation = evaluation
    limits = options.limits
    explainsKeys = options.explainsKeys
    progress = options.execution.progress
    evaluator = DocumentEvaluator(program, options: evaluation)
  }

  /// Creates the consumer of a second evaluation of a document, which only looks for keys. It ends with `LookupConsumer.Complete` if
  /// nothing more can be found.
  init(for search: KeySearch, _ options: ValidationOptions) {
    program = search.program
    evaluation = search.options
    limits = options.limits
    explainsKeys = true
    progress = nil
    evaluator = DocumentEvaluator(for: search)
    isSearch = true
  }

  var keys: KeyComparison? { evaluation.keyComparison }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    if isArray == nil, batch.count > 0 { isArray = batch[0].kind == .arrayStart }
    try evaluator.consume(batch, lines: lines)
    if isSearch, batch.count > 0 { try endSearch(at: batch.offset(of: batch[batch.count - 1])) }
  }

  private func endSearch(at offset: Int) throws {
    if evaluator.keySearch?.isComplete(at: offset) ?? true { throw LookupConsumer.Complete() }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> Evaluation)? {
    guard let context = evaluator.collection(depth: depth, recordsBefore: recordsBefore) else { return nil }
    return workers(in: context)
  }

  private func workers(in context: CollectionContext) -> @Sendable () -> Evaluation {
    { [program, evaluation, limits] in
      Evaluation(evaluator: SliceEvaluator(program, options: evaluation, context: context, limits: limits))
    }
  }

  /// Returns the pointer of the innermost open container, as in reports.
  mutating func containerPointer() -> String { evaluator.containerPointer() }

  var consumesSlices: Bool { true }

  /// The capacity that earlier findings leave for later ones.
  var workerContext: ReportBounds { evaluator.bounds }

  func exceedsLimits(with partial: Partial) -> Bool { evaluator.exceedsLimits(with: partial) }

  mutating func merge(_ partial: Partial, of slice: Slice) throws {
    try evaluator.merge(partial, of: slice)
    if isSearch { try endSearch(at: slice.end) }
  }

  mutating func finish() throws {
    try progress.saying("checking references") { try evaluator.finish() }
  }

  mutating func finishEarly() throws { try evaluator.finishEarly() }

  var recordCount: Int? { evaluator.recordCount }

  /// What a second evaluation can find out, if that is wanted and findings are about keys.
  var keySearch: KeySearch? { explainsKeys ? evaluator.keySearch : nil }

  var entryClaims: EntryClaims { evaluator.entryClaims }
  var watched: [WatchedValue] { evaluator.watched }

  /// Stores the findings so far in a report.
  func describe(in report: inout ValidationReport) {
    report.records = evaluator.recordCount
    report.collections = evaluator.collections
    report.ruleValues = evaluator.ruleValues
    let collector = evaluator.collector
    report.counts = collector.counts
    report.findings = collector.findings()
    report.distribution = collector.distribution
    report.findingsExceedMemory = report.notShown > 0 && report.findings.count < evaluation.maximumFindings
    report.version = evaluation.redacts ? nil : evaluator.declaredVersion
  }

  // MARK: Parts of a collection in other processes

  /// Returns an empty result for the innermost open array, to which those of its slices are added, and the factory for the workers
  /// that evaluate them; `nil` if the array can't be evaluated in parts.
  func part(depth: Int) -> Part? {
    guard let context = evaluator.collection(depth: depth, recordsBefore: 0) else { return nil }
    return Part(partial: evaluator.partial(in: context, memoryLimit: evaluation.memoryLimit), workers: workers(in: context))
  }

  struct Part: ~Copyable {
    var partial: CollectionPartial
    let workers: @Sendable () -> Evaluation
  }

  /// Reads the result of a part.
  func partial(decoding source: inout some ByteSource) throws(CofferError) -> CollectionPartial {
    try CollectionPartial(decoding: &source, program, options: evaluation, memoryLimit: evaluation.memoryLimit)
  }

  /// Returns whether the records of a part must be evaluated here, because too many values would wait.
  func exceedsLimits(with partial: borrowing CollectionPartial) -> Bool { evaluator.exceedsLimits(with: partial) }

  /// Adds the result of the innermost open array's next part.
  mutating func merge(_ partial: consuming CollectionPartial) throws(CofferError) { try evaluator.merge(partial) }

  // MARK: Keys that other processes decide

  /// Creates the join of the document's keys in one bucket.
  func keyJoin() -> KeyJoin { KeyJoin(program, evaluation) }

  /// Writes the operations on keys. Must be called before anything is consumed.
  mutating func writeKeys(to writer: KeyRowWriter) { evaluator.writeKeys(to: writer) }

  /// Reads the violations that other processes found. Must be called before anything is consumed.
  mutating func readDecisions(from source: inout some ByteSource) throws(CofferError) {
    try evaluator.readDecisions(from: &source)
  }

  /// One thread's part.
  struct Evaluation: SliceWorker {
    fileprivate let evaluator: SliceEvaluator

    func work(on slice: Slice, workerContext: ReportBounds) -> Partial? { evaluator.evaluate(slice, bounds: workerContext) }

    /// Evaluates a slice, and passes its events to an observer.
    func work(on slice: Slice, workerContext: ReportBounds, observed observe: (EventBatch) -> Void) -> Partial? {
      evaluator.evaluate(slice, bounds: workerContext, observed: observe)
    }
  }
}

/// Receives a document's events in the pass that validates it: an import turns them into rows.
///
///     envelope events ─▶ take ────────────────────────────────▶ ┐
///     slices ─▶ worker: evaluator and SliceObserver ─▶ partial ─▶ merge ─▶ finish
///
/// It receives only well-formed parts, in document order.
package protocol ValidationObserver: SendableMetatype {
  associatedtype Slices: SliceObserver

  /// Called after format detection.
  mutating func begin(_ document: ContainedDocument, in container: BackupFormat.Container) throws
  /// Takes the next events of the envelope, or of a slice that has no observer.
  mutating func take(_ batch: EventBatch, lines: LineCursor) throws
  /// Returns an observer for the slices of the array that the envelope's last event is in: called once per thread.
  func slices(recordsBefore: Int) throws -> (@Sendable () -> Slices)?
  /// Adds a slice's partial result, in the order of the slices.
  mutating func merge(_ partial: Slices.Partial, of slice: Slice) throws
  /// Called at the end of a well-formed document.
  mutating func finish() throws
}

/// Receives the records of one slice after another, on one thread.
package protocol SliceObserver: SendableMetatype {
  associatedtype Partial: Sendable

  mutating func begin(_ slice: Slice)
  mutating func take(_ batch: EventBatch)
  /// Returns the slice's partial result. Called only if the slice is well formed.
  mutating func end() -> Partial
}

/// Evaluates a document and passes its events to an observer.
struct ObservedValidation<Observer: ValidationObserver>: DocumentConsumer, ~Copyable {
  private(set) var validation: ValidationConsumer
  private(set) var observer: Observer

  init(_ validation: consuming ValidationConsumer, _ observer: Observer) {
    self.validation = validation
    self.observer = observer
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    try validation.consume(batch, lines: lines)
    try observing { try $0.take(batch, lines: lines) }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> Evaluation)? {
    guard let evaluations = validation.workers(depth: depth, recordsBefore: recordsBefore),
      let slices = try? observer.slices(recordsBefore: recordsBefore)
    else { return nil }
    return { Evaluation(evaluation: evaluations(), slices: slices()) }
  }

  var consumesSlices: Bool { validation.consumesSlices }

  var workerContext: ReportBounds { validation.workerContext }

  func exceedsLimits(with partial: Evaluation.Partial) -> Bool { validation.exceedsLimits(with: partial.evaluation) }

  mutating func merge(_ partial: Evaluation.Partial, of slice: Slice) throws {
    try validation.merge(partial.evaluation, of: slice)
    try observing { try $0.merge(partial.slices, of: slice) }
  }

  var recordCount: Int? { validation.recordCount }

  mutating func finish() throws {
    try validation.finish()
    try observing { try $0.finish() }
  }

  /// Wraps the observer's errors, to distinguish them from errors in the document.
  private mutating func observing(_ body: (inout Observer) throws -> Void) throws {
    do { try body(&observer) } catch { throw ObserverError(cause: error) }
  }

  /// One thread's part.
  struct Evaluation: SliceWorker {
    struct Partial: Sendable {
      let evaluation: Rules.Partial
      let slices: Observer.Slices.Partial
    }

    fileprivate let evaluation: ValidationConsumer.Evaluation
    fileprivate var slices: Observer.Slices

    mutating func work(on slice: Slice, workerContext: ReportBounds) -> Partial? {
      slices.begin(slice)
      guard let evaluation = evaluation.work(on: slice, workerContext: workerContext, observed: { slices.take($0) }) else {
        return nil
      }
      return Partial(evaluation: evaluation, slices: slices.end())
    }
  }
}

/// An observer's error, thrown through the pass.
struct ObserverError: Error {
  let cause: any Error
}
