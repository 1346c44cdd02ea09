import ByteStreams
import JSONEvents

/// All events and the error of reading a document.
struct Reading: Equatable {
  struct Step: Equatable {
    let kind: Event.Kind
    let text: [UInt8]
    let place: TextPosition
    let isDuplicateKey: Bool
  }

  private(set) var steps: [Step] = []
  /// The error that ended the document, or `nil`.
  private(set) var error: CofferError?

  init(of source: some ByteSource, limits: ReaderLimits) {
    var reader = JSONEventReader(source, limits: limits, keys: KeyComparison(low: 1, high: 2))
    do {
      while try reader.next() { note(reader.batch, reader.lines) }
    } catch {
      end(with: error)
    }
  }

  /// Reads the document as envelope and slices; slices that aren't runs of whole records are read as part of the envelope.
  init(of source: some ByteSource, limits: ReaderLimits, slices: Slicer.Options) {
    let slicer = Slicer(source, options: slices)
    var reader = JSONEventReader(slicer, limits: limits, keys: KeyComparison(low: 3, high: 4))
    do {
      while try reader.next() {
        note(reader.batch, reader.lines)
        guard slicer.recordsBefore != nil, let depth = slicer.depth else { continue }
        guard reader.hasReadAll else {
          slicer.refuse()
          continue
        }
        var given: [Slice] = []
        while let slice = slicer.nextSlice() { given.append(slice) }
        let failed = given.firstIndex { !read($0, depth: depth, limits: limits) } ?? given.count
        slicer.putBack(Array(given[failed...]))
        if failed > 0 { reader.skipItems(to: slicer.envelope.position, followsComma: slicer.envelope.followsComma) }
      }
    } catch {
      end(with: error)
    }
  }

  /// Returns false, and records nothing, if the slice is not a run of whole records.
  private mutating func read(_ slice: Slice, depth: Int, limits: ReaderLimits) -> Bool {
    let height = steps.count
    var reader = SliceReader(slice, depth: depth, limits: limits, keys: KeyComparison(low: 5, high: 6))
    while reader.next() { note(reader.batch, reader.lines) }
    if reader.hasFailed { steps.removeLast(steps.count - height) }
    return !reader.hasFailed
  }

  private mutating func note(_ batch: EventBatch, _ lines: LineCursor) {
    var lines = lines
    for index in 0..<batch.count {
      let event = batch[index]
      steps.append(
        Step(
          kind: event.kind, text: batch.text(of: event).array, place: lines.position(at: batch.offset(of: event)),
          isDuplicateKey: event.isDuplicateKey))
    }
  }

  private mutating func end(with error: any Error) {
    guard let error = error as? CofferError else { fatalError("reading from memory can't fail: \(error)") }
    self.error = error
  }

  /// Returns the first difference of two readings, for the report of a failure.
  func difference(from other: Reading) -> String {
    for (index, (mine, theirs)) in zip(steps, other.steps).enumerated() where mine != theirs {
      return "event \(index): \(mine) and \(theirs)"
    }
    let mine = error.map { "\($0.code.rawValue): \($0)" } ?? "no error"
    let theirs = other.error.map { "\($0.code.rawValue): \($0)" } ?? "no error"
    return "\(steps.count) events, then \(mine); and \(other.steps.count) events, then \(theirs)"
  }
}
