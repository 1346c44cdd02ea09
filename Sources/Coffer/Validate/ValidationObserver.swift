package import BackupFormats
package import JSONEvents
import Rules

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
