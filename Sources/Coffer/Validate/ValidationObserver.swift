package import BackupFormats
import ByteStreams
package import JSONEvents
import Rules

/// Receives a document's events in the pass that validates it: an import turns them into rows.
///
///     envelope events ─▶ consume ─────────────────────────────▶ ┐
///     slices ─▶ worker: evaluator and SliceObserver ─▶ partial ─▶ merge ─▶ finish
///
/// It receives only well-formed parts, in document order.
package protocol ValidationObserver: SendableMetatype {
  associatedtype Slices: SliceObserver

  /// Called after format detection.
  mutating func begin(_ document: ValidatedDocument, in container: BackupFormat.Container) throws
  /// Takes the next events of the envelope, or of a slice that has no observer.
  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws
  /// True if objects may be sliced like arrays, into runs of their members.
  static var takesObjects: Bool { get }
  /// True if the innermost open container, an object, may be sliced.
  var slicesObject: Bool { get }
  /// Returns an observer for the slices of the collection that the envelope's last event is in: called once per thread.
  func slices(recordsBefore: Int) throws -> (@Sendable () -> Slices)?
  /// Adds a slice's partial result, in the order of the slices.
  mutating func merge(_ partial: Slices.Partial, of slice: Slice) throws
  /// Called at the end of a well-formed document.
  mutating func finish() throws
}

extension ValidationObserver {
  package static var takesObjects: Bool { false }
  package var slicesObject: Bool { Self.takesObjects }
}

/// Receives the records of one slice after another, on one thread.
package protocol SliceObserver: SendableMetatype {
  associatedtype Partial: Sendable

  mutating func begin(_ slice: Slice)
  mutating func consume(_ batch: EventBatch)
  /// Returns the slice's partial result. Called only if the slice is well formed.
  mutating func end() -> Partial
}

/// Evaluates a document and passes its events to an observer.
struct ObservedValidation<Observer: ValidationObserver>: DocumentConsumer, ~Copyable {
  private(set) var evaluator: DocumentEvaluator
  private(set) var observer: Observer

  init(_ evaluator: consuming DocumentEvaluator, _ observer: Observer) {
    self.evaluator = evaluator
    self.observer = observer
  }

  struct Partial: Sendable {
    let evaluation: Rules.Partial
    let observed: Observer.Slices.Partial
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    try evaluator.consume(batch, lines: lines)
    try observing { try $0.consume(batch, lines: lines) }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, ReportBounds) -> Partial?)? {
    guard let context = evaluator.collection(depth: depth, recordsBefore: recordsBefore),
      let makeObserver = try? observer.slices(recordsBefore: recordsBefore)
    else { return nil }
    let makeWorker = evaluator.workers(in: context)
    return {
      let evaluate = makeWorker()
      var observer = makeObserver()
      return { slice, bounds in
        observer.begin(slice)
        return evaluate(slice, bounds) { observer.consume($0) }.map { Partial(evaluation: $0, observed: observer.end()) }
      }
    }
  }

  var consumesSlices: Bool { evaluator.consumesSlices }

  static var takesObjects: Bool { Observer.takesObjects }

  var slicesObject: Bool { observer.slicesObject }

  func names(of partial: Partial) -> MemberNames? { evaluator.names(of: partial.evaluation) }

  var sliceBounds: ReportBounds { evaluator.sliceBounds }

  func exceedsLimits(with partial: Partial) -> Bool { evaluator.exceedsLimits(with: partial.evaluation) }

  mutating func merge(_ partial: Partial, of slice: Slice) throws {
    try evaluator.merge(partial.evaluation, of: slice)
    try observing { try $0.merge(partial.observed, of: slice) }
  }

  var recordCount: Int? { evaluator.recordCount }

  mutating func finish() throws {
    try evaluator.finish()
    try observing { try $0.finish() }
  }

  mutating func finishEarly() throws { try evaluator.finishEarly() }

  /// Wraps the observer's errors, to distinguish them from errors in the document.
  private mutating func observing(_ body: (inout Observer) throws -> Void) throws {
    do { try body(&observer) } catch { throw ObserverError(cause: error) }
  }
}

/// An observer's error, thrown through the pass.
struct ObserverError: Error {
  let cause: any Error
}

/// Observes nothing.
struct Unobserved: ValidationObserver, SliceObserver {
  static var takesObjects: Bool { true }
  func begin(_ document: ValidatedDocument, in container: BackupFormat.Container) {}
  func consume(_ batch: EventBatch, lines: LineCursor) {}
  func slices(recordsBefore: Int) -> (@Sendable () -> Unobserved)? { { Unobserved() } }
  func merge(_ partial: Void, of slice: Slice) {}
  func finish() {}
  func begin(_ slice: Slice) {}
  func consume(_ batch: EventBatch) {}
  func end() {}
}
