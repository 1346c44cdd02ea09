public import BackupFormats
public import ByteStreams
import CompressedStreams
public import Findings
public import JSONEvents
import Rules
import SystemPackage

extension Backup {
  /// Validates the whole backup and returns a report. It runs on its own thread, so you can await it anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "export.json").validate(options: ValidationOptions(now: now))
  ///     print(report.isValid, report.findings.first?.message ?? "")
  ///
  /// Cost: see ``Validator``. If the backup can't be read completely, the report's `error` is the reason.
  ///
  /// - Parameters:
  ///   - rules: the rules (default: those of the detected format).
  ///   - options: how to validate it. Their syntax overrides the backup's.
  /// - Throws: `CofferError` if the rules can't be compiled, `CancellationError` if the task is cancelled or the options'
  ///   cancellation is requested.
  public func validate(
    rules: RuleSource? = nil, options: ValidationOptions
  ) async throws -> ValidationReport {
    do {
      return try await read(options.execution) { [name, syntax] reading, cancellation in
        var options = options
        options.execution.cancellation = cancellation
        options.syntax = options.syntax ?? syntax
        return try Validator(rules ?? .detected(.builtIn), options: options)
          .validate(reading.source(progress: options.execution.progress), named: name)
      }
    } catch let error as CofferError where !error.concernsRequest {
      var report = ValidationReport(file: name)
      report.error = error
      return report
    }
  }
}

extension Backup {
  /// Reads the whole backup and describes it, for a preview before an import. It runs on its own thread, so you can await it
  /// anywhere.
  ///
  /// For example:
  ///
  ///     let inspection = try await Backup(path: "export.json").inspect(options: InspectionOptions(now: now))
  ///     if inspection.importability.isPossible { show(inspection.createdAt, inspection.collections) }
  ///
  /// Cost: see ``Inspector``. If the backup can't be read completely, the inspection's `error` is the reason.
  ///
  /// - Parameters:
  ///   - rules: where its collections, version and origin are (default: by the detected format).
  ///   - options: how to inspect it. Their syntax overrides the backup's.
  /// - Throws: `CancellationError` if the task is cancelled or the options' cancellation is requested; `CofferError` like
  ///   ``Inspector``.
  public func inspect(
    rules: RuleSource? = nil, options: InspectionOptions
  ) async throws -> Inspection {
    do {
      return try await read(options.execution) { [name, syntax] reading, cancellation in
        var options = options
        options.execution.cancellation = cancellation
        options.syntax = options.syntax ?? syntax
        return try Inspector(rules ?? .detected(.builtIn), options: options)
          .inspect(reading.source(progress: options.execution.progress), named: name)
      }
    } catch let error as CofferError where !error.concernsRequest {
      var inspection = Inspection(file: name)
      inspection.error = error
      return inspection
    }
  }
}

extension Backup {
  /// Converts the backup, or one of its collections, to another layout or to JSON Lines. The file is created complete or not at
  /// all. It runs on its own threads, so you can await it anywhere.
  ///
  /// For example:
  ///
  ///     var options = ConversionOptions()
  ///     options.layout = .pretty(indent: 2)
  ///     try await Backup(path: "export.json").convert(to: "readable.json", options: options)
  ///
  /// Cost: see ``Converter``.
  ///
  /// - Parameters:
  ///   - path: the output file: compressed if it ends in `.lz4`, `.gz` or `.zst`, JSON Lines if it ends in `.jsonl` or `.ndjson`.
  ///   - existing: what to do with an existing file.
  ///   - options: how to write it; the options override the file names.
  /// - Throws: the errors of ``Converter/convert(_:to:)``; `CofferError` with the code `alreadyExists`. Then no file is
  ///   created.
  public func convert(
    to path: String, existing: AtomicFile.Existing = .keep, options: ConversionOptions = ConversionOptions()
  ) async throws {
    try await read(options.execution) { [syntax] reading, cancellation in
      var options = options
      options.execution.cancellation = cancellation
      options.syntax = options.syntax ?? syntax
      if options.layout == .compact, JSONSyntax(ofFileNamed: path) == .jsonLines { options.layout = .lines }
      options.compression = options.compression ?? Compression(ofFileNamed: path)
      var file = try AtomicFile(FilePath(path), existing: existing)
      try Converter(options: options).convert(reading.source(progress: options.execution.progress), to: &file)
      try file.commit()
    }
  }
}

extension Backup {
  /// Migrates the backup to a newer version, into a file that is created complete or not at all. It runs on its own threads, so
  /// you can await it anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "export-2025.json").migrate(to: "export.json", options: MigrationOptions(now: now))
  ///     print(report.versionBefore, report.versionAfter)
  ///
  /// Cost: see ``Migrator``. A file, bytes in memory and a custom source are read twice; a stream of more than 1 MiB is copied to
  /// an unnamed temporary file.
  ///
  /// - Parameters:
  ///   - path: the output file, compressed if it ends in `.lz4`, `.gz` or `.zst`.
  ///   - existing: what to do with an existing file.
  ///   - catalog: the formats that it may have or become (default: the built-in ones).
  ///   - format: its format (default: detected).
  ///   - options: how to migrate it, and to which version.
  /// - Throws: the errors of ``Migrator/migrate(_:named:to:)``; `CofferError` with the code `alreadyExists`. Then no file is
  ///   created.
  @discardableResult
  public func migrate(
    to path: String, existing: AtomicFile.Existing = .keep, catalog: FormatCatalog? = nil, format: BackupFormat? = nil,
    options: MigrationOptions
  ) async throws -> MigrationReport {
    try await read(options.execution) { [name] reading, cancellation in
      var options = options
      options.execution.cancellation = cancellation
      options.compression = options.compression ?? Compression(ofFileNamed: path)
      let migrator = Migrator(catalog ?? .builtIn, format: format, options: options)
      var file = try AtomicFile(FilePath(path), existing: existing)
      let report = try migrator.migrate(reading.source(), named: name, to: &file)
      try file.commit()
      return report
    }
  }
}

extension Backup {
  /// Reads the whole backup as strict JSON, event by event. It runs on its own thread, so you can await it anywhere.
  ///
  /// JSON Lines are read as an array of their values.
  ///
  /// Time: one pass. Memory: about two chunks of 64 KiB, or a few times the longest string; for JSON Lines, a batch of lines of 1
  /// MiB in total.
  ///
  /// - Parameters:
  ///   - limits: the maximum depth, text and number sizes.
  ///   - execution: only its cancellation and progress are used.
  ///   - body: receives the events in order, a run of them at a time. An error it throws stops the reading.
  /// - Throws: `CofferError`, for malformed JSON after delivering all events before it; `CancellationError`; the errors of `body`.
  public func events(
    limits: ReaderLimits = ReaderLimits(), execution: Execution = Execution(),
    _ body: @escaping @Sendable (borrowing EventRun) throws -> Void
  ) async throws {
    try await read(execution) { [syntax] reading, cancellation in
      var execution = execution
      execution.jobs = 1
      execution.cancellation = cancellation
      var options = PassOptions(limits: limits, execution: execution)
      options.syntax = syntax
      var pass = DocumentPass(
        try reading.document(execution), for: EventConsumer(body: body), options: options)
      try pass.run()
    }
  }
}

/// Passes the events on.
private struct EventConsumer: DocumentConsumer {
  let body: (borrowing EventRun) throws -> Void

  func consume(_ batch: EventBatch, lines: LineCursor) throws { try body(EventRun(batch)) }

  // Nothing is sliced.
  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> Void?)? { nil }

  func merge(_ partial: Void, of slice: Slice) {}
}
