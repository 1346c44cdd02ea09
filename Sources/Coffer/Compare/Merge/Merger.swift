public import ByteStreams

/// Merges two backups of one format: the existing one, and what another one has more or newer.
///
/// For example:
///
///     let merger = Merger(.detected(try .builtIn()), options: MergeOptions(conflicts: .keepNewest))
///     let report = try merger.merge(Backup(path: "phone.json"), with: Backup(path: "tablet.json"), to: &file)
///
/// The result has the existing document's order. The rule for conflicts decides each of its records; new records of the other backup
/// follow a collection's last one, in their order. Records are taken whole, never mixed; numbers keep their digits, strings their escapes. Members
/// around the collections (metadata, settings, what no rule knows) go by the same rule, each as a whole; numbers that the rules say are a collection's count
/// are written anew. An array of records stays or is taken where the other backup has something else there, such as null. Unless a layout is asked for, the
/// result is written as the existing document is, and a backup that is merged with itself comes through byte for byte.
///
/// A merge doesn't check references: use a validation for that.
///
/// Cost: as ``Comparer``, and one more pass over the existing document, on all threads. Records of the other one are read again in place; a
/// compressed document is expanded into a temporary file for that.
public struct Merger: Sendable {
  private let rules: RuleSource
  private let options: MergeOptions

  /// A merger of any number of pairs. Nothing is read or compiled yet.
  ///
  /// - Parameters:
  ///   - rules: which arrays hold records, and their keys. `detected` uses the format of both backups.
  ///   - options: which records stay, and how the result is written.
  public init(_ rules: RuleSource, options: MergeOptions) {
    self.rules = rules
    self.options = options
  }

  /// Reads both backups, and writes to `sink`.
  ///
  /// - Throws: `ComparisonError` if one can't be read to its end, or the two can't be merged; `CollectionError` if the rules know no collection that alone
  ///   is asked for; `CancellationError`; `ByteStreamError` of the sink and of temporary files. What the sink has got by then is good for nothing.
  public func merge<Sink: ByteSink>(_ existing: Backup, with other: Backup, to sink: inout Sink) throws -> MergeReport {
    let inputs = try self.inputs(existing, other)
    return try merge(inputs.existing, with: inputs.other, to: &sink)
  }

  /// Returns what a merge would do. Writes nothing.
  ///
  /// - Throws: as ``merge(_:with:to:)``.
  public func preview(_ existing: Backup, with other: Backup) throws -> MergeReport {
    let inputs = try self.inputs(existing, other)
    return try plan(inputs.existing, with: inputs.other).plan.report
  }

  private func inputs(_ existing: Backup, _ other: Backup) throws -> (existing: ComparedInput, other: ComparedInput) {
    (try ComparedInput(existing, options: options.comparison), try ComparedInput(other, options: options.comparison))
  }

  func merge<Sink: ByteSink>(_ existing: ComparedInput, with other: ComparedInput, to sink: inout Sink) throws -> MergeReport {
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
    let format = try ComparisonFormat(of: (existing, other), by: rules, options.comparison)
    if format.rules == nil, options.comparison.keys.isEmpty {
      for input in [existing, other] { try input.proveWellFormed() }
      // Lines are the records of the root.
      let example = existing.syntax == .jsonLines ? "=id" : "/expenses=id"
      throw ComparisonError(
        code: .unknownFormat,
        message:
          "\(existing.name) and \(other.name) have no known format: give the records' keys (\(example)), or name rules")
    }
    var reading = try PairReading(
      (existing, other), by: format, ignoring: format.counts.map(\.path), memory: options.comparison.execution.memoryLimit / 2,
      options.comparison)
    if options.layout == .lines, !reading.facts.old.arrays.contains(Skeleton.root) {
      throw ComparisonError(code: .notAnArray, message: "\(existing.name) is not an array, so it has no items for JSON Lines")
    }
    return (try MergePlan(&reading, options), reading)
  }
}
