import JSONEvents

/// The purpose of a pass over a document: validation, conversion, reading records.
///
/// It receives the envelope's events and each slice's partial result from a worker, all in document order.
protocol DocumentConsumer: ~Copyable {
  associatedtype Worker: SliceWorker

  /// Takes the next events of the envelope, or of a slice that no worker processes. `lines` returns the line and column of a
  /// place in the batch.
  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws
  /// Returns a factory for the workers that process the slices of the innermost open array, or `nil` if only `consume` can
  /// process that array.
  ///
  /// - Parameters:
  ///   - depth: the number of open brackets, including the array's.
  ///   - recordsBefore: the number of its items that `consume` has taken.
  /// - Returns: the factory, which is called once on each worker thread.
  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> Worker)?
  /// True if `consume` accepts an array slice by slice if `workers` returns `nil` for it. Otherwise the array is read as
  /// envelope.
  var consumesSlices: Bool { get }
  /// A worker's context in addition to its slice: the state of the result when the slice is created.
  var workerContext: Worker.Hint { get }
  /// Returns whether a slice must be read as envelope, because its result would exceed a limit with those before it.
  func exceedsLimits(with partial: Worker.Partial) -> Bool
  /// Adds a slice's partial result, in the order of the slices.
  mutating func merge(_ partial: Worker.Partial, of slice: Slice) throws
  /// Called at the end of a well-formed document.
  mutating func finish() throws
  /// Called where the rest of a document can't be read, because it is malformed or exceeds a limit.
  mutating func finishEarly() throws
  /// The number of records so far, for the progress. If `nil`, those of slices are counted.
  var recordCount: Int? { get }
}

extension DocumentConsumer where Self: ~Copyable {
  var consumesSlices: Bool { false }
  func exceedsLimits(with partial: Worker.Partial) -> Bool { false }
  mutating func finishEarly() throws {}
  var recordCount: Int? { nil }
}

/// Processes one slice after another, on one thread.
protocol SliceWorker: SendableMetatype {
  associatedtype Hint: Sendable
  associatedtype Partial: Sendable

  /// Returns the slice's partial result, or `nil` if it is malformed, or must be read as envelope for another reason.
  mutating func work(on slice: Slice, workerContext: Hint) -> Partial?
}
