import ByteStreams
import JSONEvents
import Pipelines
import ZIPArchives

/// Options for a pass over a document. The result never depends on them.
struct PassOptions: Sendable {
  var syntax = JSONSyntax.json
  var limits: ReaderLimits
  var execution: Execution
  /// How collections are sliced. If `nil`, they are not. Never affects the results.
  var slices: Slicer.Options?
  /// How an object's keys are compared. If `nil`, they are not.
  var keys: KeyComparison?
  /// True if zeros may follow the document: see ``DocumentPass/padding``.
  var toleratesPadding = false
  /// The stack size of worker threads, or `nil` if they don't recurse.
  var stackSize: Int?
}

/// One pass over one document, for any consumer. This thread reads the envelope; workers, or this thread, process the
/// collections' slices.
///
///     source ─▶ Slicer ─▶ envelope ─▶ JSONEventReader ─▶ consumer ─▶ result
///                 └─▶ slices ─▶ OrderedPipeline: workers ─▶ partials ┘
///
/// A malformed slice is put back and read as envelope, with everything after it. So the same code finds errors, with the same
/// messages, as in an unsliced document.
///
/// JSON Lines and sequences are read as an array of their values: an envelope of two brackets, which are not in the text, and slices of
/// lines or values.
struct DocumentPass<Consumer: DocumentConsumer & ~Copyable>: ~Copyable {
  private let options: PassOptions
  /// The document's syntax: what its beginning shows counts more than the options.
  private(set) var syntax: JSONSyntax
  private var input: Input
  private var reader: JSONEventReader
  private(set) var consumer: Consumer
  /// The end of the last slice that was merged or consumed.
  private var slicesEnd = 0
  /// The number of records in these slices, and in their arrays before them.
  private var slicedRecordCount = 0
  /// The number of records that the progress knows.
  private var shownRecordCount = 0

  private enum Input {
    case json(Slicer)
    case lines(LineSlicer)
    case parts(EnvelopeSource)
  }

  init(_ source: any ByteSource, for consumer: consuming Consumer, options: PassOptions) {
    self.options = options
    self.consumer = consumer
    let slicing = options.slices ?? Slicer.Options()
    var document = SliceInput(source, slicing)
    syntax = document.isSequence ? .sequence : options.syntax
    switch syntax {
    case .json:
      let slicer = Slicer(document, options: slicing)
      if options.slices == nil { slicer.refuseAll() }
      slicer.takesObjects = Consumer.takesObjects
      input = .json(slicer)
      reader = JSONEventReader(slicer, limits: options.limits, keys: options.keys)
      reader.toleratesPadding = options.toleratesPadding
    case .jsonLines, .sequence:
      input = .lines(LineSlicer(document, as: syntax, options: slicing, limits: options.limits))
      // The envelope of lines and sequences.
      reader = JSONEventReader(MemorySource("[]".utf8, chunkSize: 1), limits: options.limits)
    }
  }

  /// A pass over an envelope with gaps, for `run(gaps:)`.
  init(_ envelope: EnvelopeSource, for consumer: consuming Consumer, options: PassOptions) {
    self.options = options
    self.consumer = consumer
    syntax = options.syntax
    input = .parts(envelope)
    reader = JSONEventReader(envelope, limits: options.limits, keys: options.keys)
  }

  /// The number of the document's bytes that were read, or merged as slices.
  var bytesRead: Int {
    switch input {
    case .json: max(reader.bytesRead, slicesEnd)
    // The brackets around lines are not in the text.
    case .parts: reader.bytesRead - (syntax == .json ? 0 : 1)
    case .lines(let slicer): slicer.bytesRead
    }
  }

  /// The zeros that follow the document, if that is tolerated.
  var padding: JSONEventReader.Padding? { reader.padding }

  /// Reads the document to its end.
  ///
  /// - Throws: `CofferError`, `CancellationError`, and the consumer's errors. The consumer has taken
  ///   everything before the error.
  mutating func run() throws {
    do {
      switch input {
      case .json(let slicer): try run(slicer)
      case .lines(let slicer): try run(slicer)
      case .parts: preconditionFailure("run(gaps:) reads an envelope with gaps")
      }
    } catch is PassEnd {
      return showRecords()
    } catch let error as CofferError {
      if error.isFaultOfDocument { try consumer.finishEarly() }
      throw damage(causing: error) ?? error
    }
    try consumer.finish()
    showRecords()
  }

  /// Reads an envelope with gaps to its end.
  ///
  /// - Parameter gaps: called at each gap. It gives the consumer what other passes made of the records there, and the open object the
  ///   names of its members, if the gap is in one.
  /// - Throws: `CofferError`, including if a gap is not in a collection; `CancellationError`, and the errors of the consumer and `gaps`.
  mutating func run(gaps: (inout Consumer, OpenObject?) throws -> EnvelopeSource.Continuation) throws {
    do {
      try read(gaps)
    } catch is PassEnd {
    } catch let error as CofferError where error.isFaultOfDocument {
      try consumer.finishEarly()
      throw error
    }
  }

  private mutating func read(_ gaps: (inout Consumer, OpenObject?) throws -> EnvelopeSource.Continuation) throws {
    guard case .parts(let envelope) = input else { preconditionFailure("the document has no gaps") }
    while try reader.next() {
      try options.execution.cancellation.check()
      try consume(reader.batch, reader.lines)
      guard envelope.isAtGap else { continue }
      guard reader.hasReadAll else { throw CofferError(.planMismatch, "a part of the document doesn't begin in a collection") }
      let continuation = try gaps(&consumer, reader.openObject)
      if consumer.needsNoMore { throw PassEnd() }
      switch continuation {
      case .envelope(let piece, let position, let skipped):
        envelope.resume(with: piece)
        if syntax == .json, let skipped {
          reader.skipItems(to: position, followsComma: skipped == .first)
        } else {
          reader.resume(at: position)
        }
      case .lines(let slicer):
        input = .lines(slicer)
        while let slice = try slicer.nextSlice() { try consume(slice) }
        envelope.resume(with: EnvelopeSource.Piece(MemorySource("]".utf8)))
        reader.resume(at: slicer.position)
      case .end: return
      }
    }
    try consumer.finish()
  }

  private mutating func consume(_ batch: EventBatch, _ lines: LineCursor) throws {
    try consumer.consume(batch, lines: lines)
    if consumer.needsNoMore { throw PassEnd() }
  }

  /// Tells the progress how many records are done. Called for batches and slices, not for records.
  private mutating func showRecords() {
    guard let progress = options.execution.progress else { return }
    let count = consumer.recordCount ?? slicedRecordCount
    if count != shownRecordCount { progress.add(records: count - shownRecordCount) }
    shownRecordCount = count
  }

  /// The bytes that are read to find out whether malformed JSON is damage.
  private static var damageLimit: Int { 256 << 20 }

  /// Malformed JSON may be damaged compressed data, which only a checksum after it shows. Returns that error.
  private func damage(causing error: CofferError) -> CofferError? {
    guard error.isFaultOfDocument else { return nil }
    return switch input {
    case .json(let slicer): slicer.damage(within: Self.damageLimit)
    case .lines(let slicer): slicer.damage(within: Self.damageLimit)
    case .parts: nil
    }
  }

  /// Runs slices through the consumer's workers, and puts back those that must be read as envelope.
  private mutating func merge(
    workers: @escaping @Sendable () -> Consumer.SliceWork, next: () throws -> Slice?
  ) throws -> (rest: [Slice], mergedCount: Int) {
    var mergedCount = 0
    var sliceBounds = consumer.sliceBounds
    let rest = try OrderedPipeline(jobs: options.execution.jobs, stackSize: options.stackSize).run(
      next: { try next().map { ($0, sliceBounds) } },
      makeWorker: {
        let work = workers()
        return { work($0.0, $0.1) }
      },
      merge: { input, partial in
        try options.execution.cancellation.check()
        guard let partial, !consumer.exceedsLimits(with: partial), takeNames(of: partial) else { return .stop }
        try consumer.merge(partial, of: input.0)
        if consumer.needsNoMore { throw PassEnd() }
        sliceBounds = consumer.sliceBounds
        mergedCount += 1
        slicesEnd = input.0.end
        slicedRecordCount += input.0.recordCount
        showRecords()
        return .more
      })
    return (rest.map(\.0), mergedCount)
  }

  /// Adds the names of an object's slice to those of the object. Returns false if one of them is a duplicate: then the slice is
  /// read as envelope, where the reader marks it.
  private mutating func takeNames(of partial: Consumer.Partial) -> Bool {
    consumer.names(of: partial).map { reader.openObject?.takeNames($0) == true } ?? true
  }

  // MARK: JSON

  private mutating func run(_ slicer: Slicer) throws {
    while try reader.next() {
      try options.execution.cancellation.check()
      try consume(reader.batch, reader.lines)
      if let recordsBefore = slicer.recordsBefore { try readCollection(of: slicer, recordsBefore) }
      showRecords()
    }
  }

  /// Reads the rest of a large collection as slices if possible, after `recordsBefore` of its records.
  ///
  /// A member of an object that is larger than a slice is read as envelope: it may be a collection itself.
  private mutating func readCollection(of slicer: Slicer, _ recordsBefore: Int) throws {
    guard reader.hasReadAll, let depth = slicer.depth else { return slicer.refuse() }
    var count = 0
    let isObject = slicer.isObject
    if isObject, !consumer.slicesObject { return slicer.refuse() }
    if slicer.isWholeDocument {
      // No other slice has names to compare with.
      guard consumer.consumesSlices else { return slicer.refuse() }
      count = try consumeSlices(of: slicer, depth)
    } else if let workers = consumer.workers(depth: depth, recordsBefore: recordsBefore) {
      let (rest, mergedCount) = try merge(workers: workers) { slicer.nextSlice(leavesLargeRecords: isObject) }
      slicer.putBack(rest)
      count = mergedCount
    } else if consumer.consumesSlices, !isObject {
      count = try consumeSlices(of: slicer, depth)
    } else {
      return slicer.refuse()
    }
    if count > 0 { slicedRecordCount += recordsBefore }
    if count > 0 { reader.skipItems(to: slicer.envelope.position, followsComma: slicer.envelope.followsComma) }
  }

  /// Reads an array's slices on this thread. This costs less than reading it as envelope.
  ///
  /// A record larger than a slice is read as envelope: an array in it may have workers.
  ///
  /// - Returns: the number of slices read.
  private mutating func consumeSlices(of slicer: Slicer, _ depth: Int) throws -> Int {
    var count = 0
    let isWhole = slicer.isWholeDocument
    while let slice = slicer.nextSlice(leavesLargeRecords: true) {
      guard try consumeIfWellFormed(slice, depth: depth) else {
        slicer.putBack([slice])
        break
      }
      slicesEnd = slice.end
      // The members of a document are no records.
      if !isWhole { slicedRecordCount += slice.recordCount }
      showRecords()
      count += 1
    }
    return count
  }

  // MARK: JSON Lines and sequences

  private mutating func run(_ slicer: LineSlicer) throws {
    // The opening bracket.
    _ = try reader.next()
    try consume(reader.batch, reader.lines)
    if options.slices != nil, let workers = consumer.workers(depth: 1, recordsBefore: 0) {
      for slice in try merge(workers: workers, next: { try slicer.nextSlice() }).rest { try consume(slice) }
    }
    // Without workers, slices are consumed here, one after another.
    while let slice = try slicer.nextSlice() { try consume(slice) }
    reader.resume(at: slicer.position)
    while try reader.next() { try consume(reader.batch, reader.lines) }
  }

  /// Passes the events of a slice of lines or of a sequence to the consumer.
  private mutating func consume(_ slice: Slice) throws {
    if try consumeIfWellFormed(slice, depth: 1) {
      slicedRecordCount += slice.recordCount
      return showRecords()
    }
    let (before, error) = slice.firstBrokenUnit(limits: options.limits)
    if let before { try consume(before) }
    throw error
  }

  /// The size below which a slice's events usually fit in one batch: of 4096, with 16 bytes each.
  private static var smallSlice: Int { 64 << 10 }

  /// Passes a slice's events to the consumer if the whole slice is well formed. A malformed slice is read again as envelope, so
  /// none of its events may be passed on here. A slice that is larger, or has more events than a batch, is read twice.
  ///
  /// - Returns: true if the slice is well formed.
  private mutating func consumeIfWellFormed(_ slice: Slice, depth: Int) throws -> Bool {
    try options.execution.cancellation.check()
    let isSmall = slice.byteCount < Self.smallSlice
    // Two members of the same name are read as envelope, where the reader marks the second. In the only batch, names inside records must be
    // compared, too.
    var check = SliceReader(
      slice, depth: depth, limits: options.limits, keys: slice.isOfObject || isSmall ? options.keys : nil)
    if check.next(), isSmall, check.isComplete {
      try consume(check.batch, check.lines)
      return true
    }
    while check.next() {}
    if check.hasFailed { return false }
    var reader = SliceReader(slice, depth: depth, limits: options.limits, keys: options.keys)
    var lines = reader.lines
    while reader.next() {
      // Moves the cursor to the batch's start, so that no batch counts lines from the slice's start again.
      if reader.batch.count > 0 { _ = lines.position(at: reader.batch.offset(of: reader.batch[0])) }
      try consume(reader.batch, lines)
    }
    return true
  }
}

/// Reads a document only to find errors.
struct SyntaxCheck: DocumentConsumer {
  let limits: ReaderLimits

  static var takesObjects: Bool { true }

  func consume(_ batch: EventBatch, lines: LineCursor) {}

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> Void?)? {
    { [limits] in { slice, _ in slice.read(depth: depth, limits: limits) ? () : nil } }
  }

  func merge(_ partial: Void, of slice: Slice) {}
}

/// Ends a pass whose consumer needs no more.
private struct PassEnd: Error {}

extension CofferError {
  /// True if the document is malformed or exceeds a limit, from the error's place on.
  var isFaultOfDocument: Bool {
    [.syntax, .encoding, .truncated, .depthLimit, .tokenLimit, .lineLimit].contains(code)
  }

  /// True if the document, its compression or its archive is damaged: what is whole can be recovered.
  package var isDamage: Bool {
    let isOfCompression = ["corrupt", "truncated"].contains(code.compressionFault)
    return [.syntax, .encoding, .truncated, .lineLimit].contains(code) || isOfCompression || isDamageOfArchive
  }

  package var isDamageOfArchive: Bool {
    [.zipTruncated, .zipCorrupt, .zipInconsistent, .zipChecksum, .zipSize].contains(code)
  }
}
