/// The purpose of a pass over a document: validation, conversion, reading records.
///
/// It receives the envelope's events and, from workers on other threads, what they make of each slice of a collection; all in document
/// order.
package protocol DocumentConsumer: ~Copyable {
  /// What a worker makes of a slice.
  associatedtype Partial: Sendable
  /// What a worker knows besides its slice: the state of the result when the slice is created.
  associatedtype SliceBounds: Sendable = Void
  /// Returns what is made of a slice, or `nil` if the slice is malformed, or must be read as envelope for another reason. Called for
  /// one slice after another, on one thread.
  typealias SliceWork = (Slice, SliceBounds) -> Partial?

  /// Takes the next events of the envelope, or of a slice that no worker processes. `lines` returns the line and column of a
  /// place in the batch.
  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws
  /// Returns a factory for the work on the slices of the innermost open collection, or `nil` if only `consume` can process it.
  ///
  /// - Parameters:
  ///   - depth: the number of open brackets, including the collection's.
  ///   - recordsBefore: the number of its records that `consume` has taken.
  /// - Returns: the factory, which is called once on each worker thread.
  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> SliceWork)?
  /// True if `consume` accepts an array slice by slice if `workers` returns `nil` for it. Otherwise the array is read as
  /// envelope.
  var consumesSlices: Bool { get }
  /// True if objects may be sliced like arrays, into runs of their members.
  static var takesObjects: Bool { get }
  /// True if the innermost open container, an object, may be sliced.
  var slicesObject: Bool { get }
  /// Returns the names of the members of an object's slice, if they must be compared with those of others.
  func names(of partial: Partial) -> MemberNames?
  var sliceBounds: SliceBounds { get }
  /// Returns whether a slice must be read as envelope, because its result would exceed a limit with those before it.
  func exceedsLimits(with partial: Partial) -> Bool
  /// Adds a slice's partial result, in the order of the slices.
  mutating func merge(_ partial: Partial, of slice: Slice) throws
  /// Called at the end of a well-formed document.
  mutating func finish() throws
  /// Called where the rest of a document can't be read, because it is malformed or exceeds a limit.
  mutating func finishEarly() throws
  /// The number of records so far, for the progress. If `nil`, those of slices are counted.
  var recordCount: Int? { get }
  /// True if the pass can end here.
  var needsNoMore: Bool { get }
}

extension DocumentConsumer where Self: ~Copyable {
  package var consumesSlices: Bool { false }
  package static var takesObjects: Bool { false }
  package var slicesObject: Bool { Self.takesObjects }
  package func names(of partial: Partial) -> MemberNames? { nil }
  package func exceedsLimits(with partial: Partial) -> Bool { false }
  package mutating func finish() throws {}
  package mutating func finishEarly() throws {}
  package var recordCount: Int? { nil }
  package var needsNoMore: Bool { false }
}

extension DocumentConsumer where Self: ~Copyable, SliceBounds == Void {
  package var sliceBounds: Void { () }
}
