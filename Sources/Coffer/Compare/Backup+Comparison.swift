public import ByteStreams
import JSONEvents
import LZ4Streams
import Pipelines
import SystemPackage

extension Backup {
  /// Compares this backup with an older one, on threads of its own, so that it may be awaited anywhere.
  ///
  /// For example:
  ///
  ///     let difference = try await Backup(path: "friday.json").difference(from: Backup(path: "monday.json"))
  ///     if !difference.isSame { print(difference.collections.map(\.changed)) }
  ///
  /// Cost: as ``Comparer``.
  ///
  /// - Parameters:
  ///   - old: what this one is compared with.
  ///   - rules: the records' keys (default: those of the format that both backups have).
  ///   - options: how they are compared.
  /// - Throws: as ``Comparer/difference(from:to:)``.
  public func difference(
    from old: Backup, by rules: RuleSource? = nil, options: ComparisonOptions = ComparisonOptions()
  ) async throws -> BackupDifference {
    try await Self.readBoth(old, self, options) { old, new, options in
      try Comparer(rules ?? .detected(.builtIn()), options: options).difference(from: old(options), to: new(options))
    }
  }

  /// Merges another backup into a copy of this one: a file that appears whole or not at all.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "phone.json").merge(
  ///       with: Backup(path: "tablet.json"), to: "both.json", options: MergeOptions(conflicts: .keepNewest))
  ///
  /// Cost: as ``Merger``.
  ///
  /// - Parameters:
  ///   - other: what has more, or newer.
  ///   - path: compressed, if it ends in `.lz4`; JSON Lines, if it ends in `.jsonl` or `.ndjson`. It may be neither backup's own file.
  ///   - existing: what to do about a file that is already there.
  ///   - rules: the records' keys (default: those of the format that both backups have).
  ///   - options: which records stay, and how the result is written.
  /// - Throws: as ``Merger/merge(_:with:to:)``; `ByteStreamError` of the code `alreadyExists`. Then no file appears.
  @discardableResult
  public func merge(
    with other: Backup, to path: String, existing: AtomicFile.Existing = .keep, by rules: RuleSource? = nil,
    options: MergeOptions
  ) async throws -> MergeReport {
    try await Self.readBoth(self, other, options.comparison) { this, other, comparison in
      var options = options
      options.comparison = comparison
      if options.layout == nil, JSONSyntax(ofFileNamed: path) == .jsonLines { options.layout = .lines }
      if LZ4Source.isNamed(by: path) { options.compression = options.compression ?? .fastest }
      var file = try AtomicFile(FilePath(path), existing: existing)
      let merger = Merger(try rules ?? .detected(.builtIn()), options: options)
      let report = try merger.merge(this(comparison), with: other(comparison), to: &file)
      try file.commit()
      return report
    }
  }

  /// Does something with two backups, on a thread of its own, which ends early if the task is cancelled or the options' cancellation requested.
  ///
  /// - Parameter work: is given what opens each of the two.
  private static func readBoth<R: Sendable>(
    _ first: Backup, _ second: Backup, _ options: ComparisonOptions,
    _ work: @escaping @Sendable (Opening, Opening, ComparisonOptions) throws -> R
  ) async throws -> R {
    let cancellation = Cancellation(within: options.execution.cancellation)
    var options = options
    options.execution.cancellation = cancellation
    // A waiting stream must be cancelled separately.
    let readings = try [first, second].map { try $0.reading(cancellation: cancellation) }
    return try await BlockingWork.run(onCancel: {
      cancellation.request()
      for reading in readings { reading.cancel() }
    }) { [options] in
      try work(
        { try ComparedInput(first, reading: readings[0], options: $0) },
        { try ComparedInput(second, reading: readings[1], options: $0) }, options)
    }
  }

  private typealias Opening = (ComparisonOptions) throws -> ComparedInput
}
