public import ByteStreams
public import CompressedStreams
public import JSONEvents

/// Merges two backups of one format: adds another backup's additional or newer records to the existing one.
///
/// For example:
///
///     let merger = Merger(.detected(.builtIn), options: MergeOptions(conflicts: .keepNewest))
///     let report = try merger.merge(Backup(path: "phone.json"), with: Backup(path: "tablet.json"), to: &file)
///
/// The result keeps the existing document's order. The rule for conflicts decides each of its records; the other backup's new
/// records follow the collection's last one, in their order. Records are taken whole, never mixed; numbers keep their digits,
/// strings their escapes. The same rule decides each member around the collections (metadata, settings, unknown members) as a
/// whole. Numbers that the rules declare as a collection's count are updated. An array of records always wins over any other
/// value, such as null. Unless you specify a layout, the result has the existing document's, and merging a backup with itself
/// reproduces it byte for byte.
///
/// A merge doesn't check references: use a validation for that.
///
/// Cost: that of ``Comparer``, plus one more pass over the existing document, on all threads. Records of the other one are read
/// again in place; a compressed document is expanded into a temporary file for that.
public struct Merger: Sendable {
  private let rules: RuleSource
  private let options: MergeOptions

  /// Creates a merger for any number of pairs. It reads and compiles nothing yet.
  ///
  /// - Parameters:
  ///   - rules: which arrays hold records, and their keys. `detected` uses the backups' common format.
  ///   - options: which records win conflicts, and how to write the result.
  public init(_ rules: RuleSource, options: MergeOptions) {
    self.rules = rules
    self.options = options
  }

  /// Reads both backups, and writes the result to `sink`.
  ///
  /// - Throws: `CofferError` if a backup can't be read completely, or the two can't be merged, or if the rules
  ///   don't have a requested collection; `CancellationError`; `CofferError` of the sink and of temporary files. Discard the
  ///   sink's content then.
  public func merge<Sink: ByteSink>(_ existing: Backup, with other: Backup, to sink: inout Sink) throws -> MergeReport {
    let inputs = try self.inputs(existing, other)
    return try merge(inputs.existing, with: inputs.other, to: &sink)
  }

  /// Returns what a merge would do. Writes nothing.
  ///
  /// - Throws: the errors of ``merge(_:with:to:)``.
  public func preview(_ existing: Backup, with other: Backup) throws -> MergeReport {
    let inputs = try self.inputs(existing, other)
    expect(passes: 1, inputs.existing, inputs.other)
    return try plan(inputs.existing, with: inputs.other).plan.report
  }

  private func inputs(_ existing: Backup, _ other: Backup) throws -> (existing: ComparedInput, other: ComparedInput) {
    (try ComparedInput(existing, options: options.comparison), try ComparedInput(other, options: options.comparison))
  }

  func merge<Sink: ByteSink>(_ existing: ComparedInput, with other: ComparedInput, to sink: inout Sink) throws -> MergeReport {
    expect(passes: 2, existing, other)
    let (plan, reading) = try plan(existing, with: other)
    sink = try existing.reading {
      if options.layout == nil, plan.isEmpty { return try copy(existing, to: sink) }
      let layout = try options.layout ?? existing.layout()
      var pass = try existing.pass(MergeConsumer(plan, reading, options, layout, to: sink))
      try pass.run()
      return pass.consumer.sink
    }
    return plan.report
  }

  /// - Parameter passes: the number of times that `existing` is read.
  private func expect(passes: Int, _ existing: ComparedInput, _ other: ComparedInput) {
    options.comparison.execution.progress?.expect(existing.byteCount(ofPasses: passes) &+ other.byteCount(ofPasses: 1))
  }

  private func copy<Sink: ByteSink>(_ existing: ComparedInput, to sink: Sink) throws -> Sink {
    var output = CompressibleOutput(sink, compression: options.compression)
    var source = try existing.source()
    while true {
      try options.comparison.execution.cancellation.check()
      let bytes = try source.readPrefix(1 << 18)
      if bytes.isEmpty { break }
      try output.write(bytes)
    }
    try output.finish()
    return output.sink
  }

  private func plan(_ existing: ComparedInput, with other: ComparedInput) throws -> (plan: MergePlan, reading: PairReading) {
    let format = try ComparisonFormat(of: (existing, other), rules: rules, options.comparison)
    if format.rules == nil, options.comparison.keys.isEmpty {
      for input in [existing, other] { try input.checkWellFormed() }
      let possible = format.draftedKeys.sorted { $0.key < $1.key }.map {
        "\($0.key)=\($0.value.map(\.fieldText).joined(separator: ","))"
      }
      throw CofferError(
        .unknownFormat,
        "\(existing.name), \(other.name): unknown format, and no keys of records are named"
          + (possible.isEmpty ? "" : "; their values allow \(possible.joined(separator: " "))"))
    }
    var reading = try PairReading(
      (existing, other), by: format, ignoring: format.counts.map(\.path), memory: options.comparison.execution.memoryLimit / 2,
      options.comparison)
    if options.layout == .lines, !reading.facts.old.arrays.contains(Skeleton.root) {
      throw CofferError(.notAnArray, "\(existing.name) is not an array, so it has no items for JSON Lines")
    }
    let plan = try options.comparison.execution.progress.saying("comparing records") { try MergePlan(&reading, options) }
    plan.report.format = format.name
    return (plan, reading)
  }
}

/// The rule that decides which of two different records with the same key to keep.
public enum ConflictRule: String, Sendable, CaseIterable {
  /// The existing backup's record.
  case keepExisting = "keep-existing"
  /// The other backup's record.
  case replace
  /// The record that was changed later, by the field that the format names for this. If there is no such field or value, this is
  /// the record of the backup that was created later. If the times are equal: the existing record.
  case keepNewest = "keep-newest"
}

/// How to merge two backups, and how to write the result.
///
/// For example:
///
///     var options = MergeOptions(conflicts: .keepNewest)
///     options.comparison.only = CollectionSelection(["expenses"])
///     options.layout = .pretty(indent: 2)
public struct MergeOptions: Sendable {
  /// The rule for different records with the same key.
  public var conflicts: ConflictRule
  /// True to let the rule decide an array of records that has no key as a whole: all records of the other array are dropped. By default,
  /// backups with different records in such an array can't be merged.
  public var decidesWholeArrays = false
  /// How the backups are read, and how their records are matched. A merge ignores ``ComparisonOptions/maximumChanges``.
  public var comparison = ComparisonOptions()
  /// The layout of the result. If `nil`, it is that of the existing document, detected from its start: JSON Lines, compact, or
  /// the same indentation. A document without replacements and additions is then copied byte for byte.
  public var layout: FormatLayout?
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?

  /// Creates options with a rule for conflicts, and the defaults above.
  public init(conflicts: ConflictRule) { self.conflicts = conflicts }
}

/// The output of a merge: the formatter, and the sink for its text.
struct MergeOutput<Sink: ByteSink>: ~Copyable {
  private var formatter: PlainFormatter
  private var output: CompressibleOutput<Sink>

  init(_ layout: FormatLayout, to output: CompressibleOutput<Sink>) {
    formatter = PlainFormatter(layout: layout, at: .start)
    self.output = output
  }

  var sink: Sink { output.sink }

  mutating func write(_ batch: EventBatch, _ range: Range<Int>) throws(CofferError) {
    formatter.write(batch, range)
    try formatter.drain(to: &output)
  }

  /// Writes a number in place of the document's.
  mutating func write(_ number: Int) throws {
    var reader = JSONEventReader(MemorySource(String(number).utf8))
    while try reader.next() { formatter.write(reader.batch, 0..<reader.batch.count) }
  }

  /// Writes formatted items and the text between them.
  mutating func write(_ items: UnsafeRawBufferPointer) throws(CofferError) {
    if items.isEmpty { return }
    try formatter.flush(to: &output)
    try output.write(items)
    formatter.skipItems()
  }

  mutating func finish() throws(CofferError) {
    try formatter.flush(to: &output)
    try output.finish()
  }
}
