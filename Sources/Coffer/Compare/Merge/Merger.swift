public import ByteStreams

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
      // Lines are the records of the root.
      let example = existing.syntax == .jsonLines ? "=id" : "/expenses=id"
      throw CofferError(
        .unknownFormat,
        "\(existing.name), \(other.name): unknown format: name one with --rules, or the records' keys with --key \(example)")
    }
    var reading = try PairReading(
      (existing, other), by: format, ignoring: format.counts.map(\.path), memory: options.comparison.execution.memoryLimit / 2,
      options.comparison)
    if options.layout == .lines, !reading.facts.old.arrays.contains(Skeleton.root) {
      throw CofferError(.notAnArray, "\(existing.name) is not an array, so it has no items for JSON Lines")
    }
    let plan = try options.comparison.execution.progress.saying("comparing records") { try MergePlan(&reading, options) }
    return (plan, reading)
  }
}
