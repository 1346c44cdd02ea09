import ByteStreams
import JSONEvents
import Pipelines

/// One pass over one document, for whatever consumer: its spine here, its collections' slices on all threads.
///
///     source ─▶ Slicer ─▶ spine ─▶ JSONEventReader ─▶ consumer ─▶ result
///                 └─▶ slices ─▶ OrderedPipeline: workers ─▶ partials ┘
///
/// A slice that is malformed after all is put back and read as spine with all that follows it: so errors are found by the same code, with the same
/// words, as in a document that is never cut.
///
/// JSON Lines are the array of their values: a spine of two brackets, which stand nowhere, and slices of lines.
struct DocumentPass<Consumer: DocumentConsumer & ~Copyable>: ~Copyable {
  private let options: PassOptions
  private let input: Input
  private var reader: JSONEventReader
  private(set) var consumer: Consumer
  /// Where the last slice ended that was merged.
  private var mergedEnd = 0

  private enum Input {
    case json(Slicer)
    case lines(LineSlicer)
  }

  init(_ source: any ByteSource, for consumer: consuming Consumer, options: PassOptions) {
    self.options = options
    self.consumer = consumer
    switch options.syntax {
    case .json:
      let slicer = Slicer(source, options: options.slices ?? Slicer.Options())
      if options.slices == nil { slicer.refuseAll() }
      input = .json(slicer)
      reader = JSONEventReader(slicer, limits: options.limits, keys: options.keys)
    case .jsonLines:
      input = .lines(LineSlicer(source, options: options.slices ?? Slicer.Options(), limits: options.limits))
      reader = JSONEventReader(MemorySource("[]".utf8, chunkSize: 1), limits: options.limits)
    }
  }

  /// How many bytes of the document have been read, or merged as slices.
  var bytesRead: Int {
    switch input {
    case .json: max(reader.bytesRead, mergedEnd)
    case .lines(let slicer): slicer.bytesRead
    }
  }

  /// Reads the document to its end.
  ///
  /// - Throws: `JSONReadError`, `ByteStreamError`, `CancellationError`, and what the consumer throws. It has taken all that came before.
  mutating func run() throws {
    switch input {
    case .json(let slicer): try run(slicer)
    case .lines(let slicer): try run(slicer)
    }
    try consumer.finish()
  }

  /// Runs slices through the consumer's workers, and gives back those that must be spine.
  private mutating func merge(
    workers: @escaping @Sendable () -> Consumer.Worker, next: () throws -> Slice?
  ) throws -> (rest: [Slice], mergedCount: Int) {
    var mergedCount = 0
    var hint = consumer.hint
    let rest = try OrderedPipeline(jobs: options.jobs, stackSize: options.stackSize).run(
      next: { try next().map { SliceInput(slice: $0, hint: hint) } },
      makeWorker: { PipelineWorker(worker: workers()) },
      merge: { input, partial in
        try options.cancellation.check()
        guard let partial else { return .stop }
        try consumer.merge(partial, of: input.slice)
        hint = consumer.hint
        mergedCount += 1
        mergedEnd = input.slice.end
        return .more
      })
    return (rest.map(\.slice), mergedCount)
  }

  // MARK: JSON

  private mutating func run(_ slicer: Slicer) throws {
    while try reader.next() {
      try options.cancellation.check()
      try consumer.consume(reader.batch, lines: reader.lines)
      if let recordsBefore = slicer.recordsBefore { try readCollection(of: slicer, recordsBefore) }
    }
  }

  /// The reader stands in a large array, so many of whose items have come: the others are read as slices, if they can be.
  private mutating func readCollection(of slicer: Slicer, _ recordsBefore: Int) throws {
    guard reader.hasReadAll, let depth = slicer.depth else { return slicer.refuse() }
    let rest: [Slice]
    let count: Int
    if let workers = consumer.workers(depth: depth, recordsBefore: recordsBefore) {
      (rest, count) = try merge(workers: workers) { slicer.nextSlice() }
    } else if consumer.consumesSlices {
      (rest, count) = try consumeSlices(of: slicer, depth)
    } else {
      return slicer.refuse()
    }
    slicer.putBack(rest)
    if count > 0 { reader.skipItems(to: slicer.spine.position, isBehindComma: slicer.spine.isBehindComma) }
  }

  /// Reads an array's slices here, one after the other: that takes less than to read the array as spine.
  private mutating func consumeSlices(of slicer: Slicer, _ depth: Int) throws -> (rest: [Slice], count: Int) {
    var count = 0
    while let slice = slicer.nextSlice() {
      guard try consume(slice, depth: depth) else { return ([slice], count) }
      mergedEnd = slice.end
      count += 1
    }
    return ([], count)
  }

  // MARK: JSON Lines

  private mutating func run(_ slicer: LineSlicer) throws {
    // The opening bracket.
    _ = try reader.next()
    try consumer.consume(reader.batch, lines: reader.lines)
    if options.slices != nil, let workers = consumer.workers(depth: 1, recordsBefore: 0) {
      for slice in try merge(workers: workers, next: { try slicer.nextSlice() }).rest { try consume(slice) }
    }
    // What no worker could do: one slice after the other, here.
    while let slice = try slicer.nextSlice() { try consume(slice) }
    reader.goOn(at: slicer.position)
    while try reader.next() { try consumer.consume(reader.batch, lines: reader.lines) }
  }

  /// Lets the consumer see the events of lines.
  private mutating func consume(_ slice: Slice) throws {
    if try consume(slice, depth: 1) { return }
    let (before, error) = slice.firstBrokenLine(limits: options.limits)
    if let before { try consume(before) }
    throw error
  }

  /// Lets the consumer see a slice's events, if all of the slice is well formed: it must see none of one that is read again as spine.
  ///
  /// - Returns: whether it has seen them.
  private mutating func consume(_ slice: Slice, depth: Int) throws -> Bool {
    try options.cancellation.check()
    var proof = SliceReader(slice, depth: depth, limits: options.limits)
    while proof.next() {}
    if proof.hasFailed { return false }
    var reader = SliceReader(slice, depth: depth, limits: options.limits, keys: options.keys)
    var lines = reader.lines
    while reader.next() {
      // Otherwise lines would be counted from the slice's start for each batch.
      if reader.batch.count > 0 { _ = lines.position(at: reader.batch.offset(of: reader.batch[0])) }
      try consumer.consume(reader.batch, lines: lines)
    }
    return true
  }
}

private struct SliceInput<Hint: Sendable>: Sendable {
  let slice: Slice
  let hint: Hint
}

private struct PipelineWorker<W: SliceWorker>: Worker {
  var worker: W

  mutating func process(_ input: SliceInput<W.Hint>) -> W.Partial? { worker.work(on: input.slice, hint: input.hint) }
}
