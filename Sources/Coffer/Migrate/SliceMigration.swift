import BackupFormats
import CompressedStreams
import JSONEvents

/// One thread's part of a migration: checks that slices are well formed, and runs the steps on their records.
struct SliceMigration: SliceWorker {
  /// Formats the slices of collections that have no steps, or are not written.
  private let formatting: SliceFormatting<PlainFormatter>
  private let pendingSteps: [StepRunner.PendingStep]
  private let sizeLimit: Int
  private var runner: StepRunner
  private var record = ValueTree()
  private var walk = TreeWalk()

  init(
    _ formatting: SliceFormatting<PlainFormatter>, _ pendingSteps: [StepRunner.PendingStep], sizeLimit: Int, runner: StepRunner
  ) {
    self.formatting = formatting
    self.pendingSteps = pendingSteps
    self.sizeLimit = sizeLimit
    self.runner = runner
  }

  /// Returns the migrated slice, or `nil` if a record is too large to hold, or the text is disproportionately larger
  /// than the slice.
  mutating func work(on slice: Slice, workerContext: Void) -> MigratedSlice? {
    guard !pendingSteps.isEmpty, let formattedDepth = formatting.formattedDepth else {
      return formatting.work(on: slice, workerContext: ()).map { MigratedSlice(text: $0, tally: nil) }
    }
    runner.tally.reset()
    record.clear()
    var reader = SliceReader(slice, depth: formatting.depth, limits: formatting.limits)
    var formatter = PlainFormatter(
      layout: formatting.layout, at: FormatPlace(depth: formattedDepth, isAfterItem: slice.firstIndex > 0))
    while reader.next() {
      let batch = reader.batch
      for index in 0..<batch.count where record.take(batch[index], of: batch) {
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
