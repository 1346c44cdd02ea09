import JSONEvents
import Rules

/// One thread's part of creating entries: those of a slice's records, or item digests for an array that is compared as a whole.
struct EntryWorker: SliceWorker {
  enum Partial: Sendable {
    /// Well-formed records that are left out.
    case nothing
    case entries([RecordEntry])
    /// - Parameter holdsRecords: true if there is any object.
    case items([KeyValue], holdsRecords: Bool)
  }

  let array: SkeletonCursor.ArrayKind
  var digester: RecordDigester
  let side: RecordEntry.Side
  /// The number of open brackets around the records.
  let depth: Int
  let limits: ReaderLimits

  mutating func work(on slice: Slice, workerContext: Void) -> Partial? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    let partial: Partial
    switch array {
    case .leftOut:
      while reader.next() {}
      partial = .nothing
    case .whole:
      var items: [KeyValue] = []
      items.reserveCapacity(slice.recordCount)
      var holdsRecords = false
      while reader.next() {
        holdsRecords = holdsRecords || (0..<reader.batch.count).contains { reader.batch[$0].kind == .objectStart }
        digester.take(reader.batch, 0..<reader.batch.count) { items.append($0.value) }
      }
      partial = .items(items, holdsRecords: holdsRecords)
    case .records(let node):
      var entries: [RecordEntry] = []
      entries.reserveCapacity(slice.recordCount)
      while reader.next() {
        digester.take(reader.batch, 0..<reader.batch.count) { digest in
          entries.append(RecordEntry(digest, in: node, side: side, index: slice.firstIndex + entries.count))
        }
      }
      partial = .entries(entries)
    }
    if reader.hasFailed {
      digester.reset()
      return nil
    }
    return partial
  }
}
