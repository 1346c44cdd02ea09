import JSONEvents
import RuleDrafts

/// Observes one document: its envelope here, the items of large arrays slice by slice.
struct DraftConsumer: DocumentConsumer {
  private let limits: ReaderLimits
  private(set) var observation: DocumentObservation

  /// - Parameter observation: that of earlier documents, which grows.
  init(_ observation: DocumentObservation, limits: ReaderLimits) {
    self.observation = observation
    self.limits = limits
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) { observation.take(batch) }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> DraftWorker)? {
    { [limits] in DraftWorker(depth: depth, limits: limits) }
  }

  var workerContext: Void { () }

  mutating func merge(_ partial: DocumentObservation, of slice: Slice) { observation.merge(items: partial) }

  mutating func finish() {}
}

/// One thread's part: observes slices, and checks that they are well formed.
struct DraftWorker: SliceWorker {
  let depth: Int
  let limits: ReaderLimits

  func work(on slice: Slice, workerContext: Void) -> DocumentObservation? {
    var observation = DocumentObservation.ofItems()
    var reader = SliceReader(slice, depth: depth, limits: limits)
    while reader.next() { observation.take(reader.batch) }
    return reader.hasFailed ? nil : observation
  }
}
