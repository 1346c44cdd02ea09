import JSONEvents
import RuleDrafts

/// Observes one document: its envelope here, the items of large arrays slice by slice.
struct DraftConsumer: DocumentConsumer {
  private let limits: ReaderLimits
  private(set) var observation: DocumentObservation
  /// The observation with which the next slices begin, and the number of slices merged since the last events of the envelope.
  private var part: DocumentObservation?
  private var mergedCount = 0

  /// - Parameter observation: that of earlier documents, which grows.
  init(_ observation: DocumentObservation, limits: ReaderLimits) {
    self.observation = observation
    self.limits = limits
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    observation.take(batch)
    part = nil
    mergedCount = 0
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> DraftWorker)? {
    { [limits] in DraftWorker(depth: depth, limits: limits) }
  }

  var workerContext: DocumentObservation { part ?? observation.partForItems }

  mutating func merge(_ partial: DocumentObservation, of slice: Slice) {
    observation.merge(items: partial)
    mergedCount += 1
    // Renewed after 1, 2, 4, 8… slices, because later ones bring fewer new places and values.
    if mergedCount & (mergedCount - 1) == 0 { part = observation.partForItems }
  }

  mutating func finish() {}
}

/// One thread's part: observes slices, and checks that they are well formed.
struct DraftWorker: SliceWorker {
  let depth: Int
  let limits: ReaderLimits

  func work(on slice: Slice, workerContext: DocumentObservation) -> DocumentObservation? {
    var observation = workerContext
    var reader = SliceReader(slice, depth: depth, limits: limits)
    while reader.next() { observation.take(reader.batch) }
    return reader.hasFailed ? nil : observation
  }
}
