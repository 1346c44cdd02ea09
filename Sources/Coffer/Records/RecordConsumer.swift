import JSONEvents

/// Reads the records of one collection, from slices if possible, otherwise from the envelope, and passes them on in batches.
struct RecordConsumer<Record: Decodable & Sendable>: DocumentConsumer, ~Copyable {
  private let decoding: RecordDecoding<Record>
  /// Returns false to stop.
  private let send: ([Record]) -> Bool
  private var path: CollectionPath
  /// The number of records so far.
  private var count = 0
  /// The record that is being read as envelope.
  private var text = RecordText()

  init(_ decoding: RecordDecoding<Record>, at path: CollectionPath, send: @escaping ([Record]) -> Bool) {
    self.decoding = decoding
    self.path = path
    self.send = send
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    var records: [Record] = []
    // Delivers the records before an error first.
    let outcome = Result { try read(batch, lines, into: &records) }
    try hand(records)
    try outcome.get()
  }

  private mutating func read(_ batch: EventBatch, _ lines: LineCursor, into records: inout [Record]) throws {
    var lines = lines
    for index in 0..<batch.count {
      let event = batch[index]
      guard case .record(let isFirst, let isLast) = try path.role(of: event, in: batch) else { continue }
      if isFirst { text.clear() }
      text.append(index, of: batch, at: lines.position(at: batch.offset(of: event)))
      if isLast {
        let bytes = text.bytes
        do {
          records.append(try bytes.withUnsafeBytes { try decoding.decode($0) })
        } catch {
          throw decoding.failure(error, ofRecord: count, text: bytes, at: text.start, places: text.places)
        }
        count += 1
      }
    }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> RecordWorker<Record>)? {
    let decoding: RecordDecoding<Record>?
    switch path.relation {
    case .holdsRecords: decoding = self.decoding
    case .holdsNone: decoding = nil
    case .mayLeadToThem: return nil
    }
    let worker = RecordWorker(decoding: decoding, depth: depth, limits: self.decoding.limits)
    return { worker }
  }

  var workerContext: Void { () }

  mutating func merge(_ partial: RecordWorker<Record>.Partial, of slice: Slice) throws {
    if path.relation == .holdsRecords { count = slice.firstIndex + slice.recordCount }
    try hand(partial.records)
    if let failure = partial.failure { throw failure }
  }

  mutating func finish() throws { try path.finish() }

  private func hand(_ records: [Record]) throws {
    if !records.isEmpty, !send(records) { throw CancellationError() }
  }
}
