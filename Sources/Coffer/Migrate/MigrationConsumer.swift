import BackupFormats
import ByteStreams
import CompressedStreams
import JSONEvents

/// Writes a document: the envelope, already migrated, and inside it the collections' items as they are read, each migrated on its
/// own.
struct MigrationConsumer<Sink: ByteSink>: DocumentConsumer, ~Copyable {
  private let options: MigrationOptions
  private let layout: FormatLayout
  private var envelope: ValueTree
  private var walk = TreeWalk()
  /// The collections to write; the others were dropped.
  private let written: Set<Int>
  private let collectionCount: Int
  private(set) var runner: StepRunner
  private var tracker = CollectionTracker()
  /// The steps for the items of the open collection, or `nil` if it is not written.
  private var present: [StepRunner.PendingStep]?
  /// The record that is being read as envelope, and the line where it begins.
  private var record = ValueTree()
  private var recordLine = 1
  private var recordWalk = TreeWalk()
  private var formatter: PlainFormatter
  private var output: CompressibleOutput<Sink>

  /// - Parameters:
  ///   - envelope: the migrated envelope.
  ///   - collectionCount: the number of collections in the document.
  ///   - runner: the runner that migrated the envelope, with the steps that are left for the collections.
  init(
    _ envelope: ValueTree, collectionCount: Int, runner: StepRunner, options: MigrationOptions, to sink: Sink
  ) throws(CofferError) {
    let order = envelope.collections
    guard zip(order, order.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw CofferError(
        .collectionOrder,
        "the steps move a collection before an earlier one, but collections are too large to hold in memory")
    }
    self.options = options
    self.envelope = envelope
    self.collectionCount = collectionCount
    self.runner = runner
    written = Set(order)
    layout = FormatLayout(options.layout)
    formatter = PlainFormatter(layout: layout, at: .start)
    output = CompressibleOutput(sink, compression: options.compression)
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    var lines = lines
    var start: Int?
    for index in 0..<batch.count {
      switch tracker.role(of: batch[index]) {
      case .item where present?.isEmpty == true:
        if start == nil { start = index }
        continue
      case .item where present != nil: try consume(batch[index], batch, &lines)
      case .collectionStart(let number): try begin(number)
      case .item, .envelope: break
      case .collectionEnd:
        if let from = start { formatter.write(batch, from..<index) }
        start = nil
      }
    }
    if let start { formatter.write(batch, start..<batch.count) }
    try formatter.drain(to: &output)
  }

  private mutating func begin(_ number: Int) throws {
    present = written.contains(number) ? runner.pendingSteps[number] ?? [] : nil
    guard present != nil else { return }
    guard walk.write(&envelope, to: &formatter) == number else { throw Self.changed }
  }

  /// Takes an event of a record that is read as envelope.
  private mutating func consume(_ event: Event, _ batch: EventBatch, _ lines: inout LineCursor) throws {
    if record.isEmpty { recordLine = lines.position(at: batch.offset(of: event)).line }
    let isComplete = record.consume(event, of: batch)
    if record.size > options.heldSize {
      throw CofferError(
        .sizeLimit,
        "the record at line \(recordLine) is larger than \(options.heldSize >> 20) MiB, too large to migrate"
      )
    }
    guard isComplete else { return }
    runner.run(present ?? [], on: &record)
    recordWalk.writeAll(&record, to: &formatter)
    record.clear()
    try formatter.drain(to: &output)
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> MigratedSlice?)? {
    guard tracker.isBetweenItems else { return nil }
    return {
      [
        layout, walkDepth = walk.depth, present, limits = options.limits, compression = options.compression,
        sizeLimit = options.heldSize,
        steps = runner.steps, now = runner.now, folder = options.execution.temporaryFolder
      ] in
      let formatting = SliceFormatting<PlainFormatter>(
        layout: layout, depth: depth, formattedDepth: present == nil ? nil : walkDepth, limits: limits,
        encoder: compression.map(PieceEncoder.init), temporaryFolder: folder)
      var migration = SliceMigration(
        formatting: formatting, pendingSteps: present ?? [], sizeLimit: sizeLimit, runner: StepRunner(steps, now: now))
      return { slice, _ in migration.migrated(slice) }
    }
  }

  /// The sink, with everything written so far.
  var sink: Sink { output.sink }

  mutating func merge(_ partial: MigratedSlice, of slice: Slice) throws {
    if let tally = partial.tally { runner.tally += tally }
    switch partial.text {
    case .nothing: break
    case .text(let text): try formatter.append(text.buffer, to: &output)
    case .compressed(let piece):
      try formatter.flush(to: &output)
      try output.write(piece)
      formatter.skipItems()
    }
  }

  mutating func finish() throws {
    guard tracker.count == collectionCount, walk.write(&envelope, to: &formatter) == nil else { throw Self.changed }
    try formatter.flush(to: &output)
    try output.finish()
  }

  private static var changed: CofferError {
    CofferError(.inputChanged, "the input changed while it was being read")
  }
}

/// One thread's part of a migration: checks that slices are well formed, and runs the steps on their records.
struct SliceMigration {
  /// Formats the slices of collections that have no steps, or are not written.
  let formatting: SliceFormatting<PlainFormatter>
  let pendingSteps: [StepRunner.PendingStep]
  let sizeLimit: Int
  var runner: StepRunner
  var record = ValueTree()
  var walk = TreeWalk()

  /// Returns the migrated slice, or `nil` if a record is too large to hold, or the text is disproportionately larger
  /// than the slice.
  mutating func migrated(_ slice: Slice) -> MigratedSlice? {
    guard !pendingSteps.isEmpty, let formattedDepth = formatting.formattedDepth else {
      return formatting.text(of: slice).map { MigratedSlice(text: $0, tally: nil) }
    }
    runner.tally.reset()
    record.clear()
    var reader = SliceReader(slice, depth: formatting.depth, limits: formatting.limits)
    var formatter = PlainFormatter(
      layout: formatting.layout, at: FormatPlace(depth: formattedDepth, isAfterItem: slice.firstIndex > 0))
    while reader.next() {
      let batch = reader.batch
      for index in 0..<batch.count where record.consume(batch[index], of: batch) {
        if record.size > sizeLimit { return nil }
        runner.run(pendingSteps, on: &record)
        walk.writeAll(&record, to: &formatter)
        record.clear()
      }
      if record.size > sizeLimit || formatter.byteCount > max(4 << 20, 4 * slice.byteCount) { return nil }
    }
    if reader.hasFailed { return nil }
    let text = formatter.takeText()
    if let encoder = formatting.encoder {
      return MigratedSlice(text: .compressed(encoder.encode(text.bytes)), tally: runner.tally)
    }
    return MigratedSlice(text: .text(FormattedText(text)), tally: runner.tally)
  }
}

/// The result of a slice.
struct MigratedSlice: Sendable {
  let text: FormattedSlice
  /// `nil` if no step applies to the collection.
  let tally: MigrationTally?
}

/// The number of records, or of values outside records, that each step changed.
struct MigrationTally: Sendable {
  private(set) var counts: [Count]

  struct Count: Sendable, Hashable {
    var changed = 0
    /// The number of records with a value that the step doesn't apply to, and which was left unchanged.
    var skipped = 0
    /// The number of records in which fractions of a second were cut off.
    var cut = 0
  }

  init(stepCount: Int) { counts = Array(repeating: Count(), count: stepCount) }

  mutating func reset() {
    for index in counts.indices { counts[index] = Count() }
  }

  mutating func note(_ outcome: StepOutcome, of step: Int) {
    if outcome.contains(.changed) { counts[step].changed += 1 }
    if outcome.contains(.skipped) { counts[step].skipped += 1 }
    if outcome.contains(.cut) { counts[step].cut += 1 }
  }

  static func += (tally: inout MigrationTally, other: MigrationTally) {
    for index in tally.counts.indices {
      tally.counts[index].changed += other.counts[index].changed
      tally.counts[index].skipped += other.counts[index].skipped
      tally.counts[index].cut += other.counts[index].cut
    }
  }
}

/// The outcome of a step in one record.
struct StepOutcome: OptionSet {
  let rawValue: UInt8

  static let changed = StepOutcome(rawValue: 1)
  static let skipped = StepOutcome(rawValue: 2)
  static let cut = StepOutcome(rawValue: 4)
}
