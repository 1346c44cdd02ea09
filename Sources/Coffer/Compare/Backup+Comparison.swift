public import ByteStreams
import CompressedStreams
public import JSONEvents
import Pipelines
import SystemPackage

extension Backup {
  /// Compares this backup with an older one. It runs on its own threads, so you can await it anywhere.
  ///
  /// For example:
  ///
  ///     let difference = try await Backup(path: "friday.json").difference(from: Backup(path: "monday.json"))
  ///     if !difference.isSame { print(difference.collections.map(\.changed)) }
  ///
  /// Cost: see ``Comparer``.
  ///
  /// - Parameters:
  ///   - old: the older backup.
  ///   - rules: the records' keys (default: those of the backups' common format).
  ///   - options: how to compare them.
  /// - Throws: the errors of ``Comparer/difference(from:to:)``.
  public func difference(
    from old: Backup, rules: RuleSource? = nil, options: ComparisonOptions = ComparisonOptions()
  ) async throws -> BackupDifference {
    try await Self.readBoth(old, self, options) { old, new, options in
      try Comparer(rules ?? .detected(.builtIn), options: options).difference(from: old(options), to: new(options))
    }
  }

  /// Merges another backup into a copy of this one. The file is created complete or not at all.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "phone.json").merge(
  ///       with: Backup(path: "tablet.json"), to: "both.json", options: MergeOptions(conflicts: .keepNewest))
  ///
  /// Cost: see ``Merger``.
  ///
  /// - Parameters:
  ///   - other: the backup with additional or newer records.
  ///   - path: the output file: compressed if it ends in `.lz4`, `.gz` or `.zst`, JSON Lines if it ends in `.jsonl` or `.ndjson`.
  ///     It must not be the file of either backup.
  ///   - existing: what to do with an existing file.
  ///   - rules: the records' keys (default: those of the backups' common format).
  ///   - options: which records win conflicts, and how to write the result.
  /// - Throws: the errors of ``Merger/merge(_:with:to:)``; `CofferError` with the code `alreadyExists`. Then no file is
  ///   created.
  @discardableResult
  public func merge(
    with other: Backup, to path: String, existing: AtomicFile.Existing = .keep, rules: RuleSource? = nil,
    options: MergeOptions
  ) async throws -> MergeReport {
    try await Self.readBoth(self, other, options.comparison) { this, other, comparison in
      var options = options
      options.comparison = comparison
      if options.layout == nil, JSONSyntax(ofFileNamed: path) == .jsonLines { options.layout = .lines }
      options.compression = options.compression ?? Compression(ofFileNamed: path)
      var file = try AtomicFile(FilePath(path), existing: existing)
      let merger = Merger(rules ?? .detected(.builtIn), options: options)
      let report = try merger.merge(this(comparison), with: other(comparison), to: &file)
      try file.commit()
      return report
    }
  }

  /// Runs `work` on its own thread, which stops early if the task is cancelled or the options' cancellation is requested.
  ///
  /// - Parameter work: receives a closure for each backup that opens it.
  private static func readBoth<R: Sendable>(
    _ first: Backup, _ second: Backup, _ options: ComparisonOptions,
    _ work: @escaping @Sendable (MakeInput, MakeInput, ComparisonOptions) throws -> R
  ) async throws -> R {
    let progress = options.execution.progress
    defer { progress?.finish() }
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

  private typealias MakeInput = (ComparisonOptions) throws -> ComparedInput
}

/// Options for comparing or merging two backups. The result doesn't depend on the threads and memory of ``execution``.
public struct ComparisonOptions: Sendable {
  /// The documents' syntax. If `nil`, the files' names decide.
  public var syntax: JSONSyntax?
  /// The key fields of collections, by JSON Pointer of the collection; they override the rules.
  ///
  /// Each field is a name, or a path of names. Without fields, the records are compared as whole values. A pointer that is an
  /// array in neither document and no collection of the rules is an error: `invalid-key`.
  public var keys: [String: [[String]]] = [:]
  /// The collections to compare or merge. If `nil`, whole documents are compared.
  public var only: CollectionSelection?
  /// The maximum number of changes of each kind per collection to keep in detail; all are counted.
  public var maximumChanges = 100
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}

  var pass: PassOptions { PassOptions(limits: limits, execution: execution, slices: slices) }
}
