public import BackupFormats
public import ByteStreams
public import CompressedStreams
public import JSONEvents
public import Rules
import ZIPArchives

/// Migrates backups of older versions to the current version of their format, by the steps in its descriptor.
///
/// For example:
///
///     var file = try AtomicFile("migrated.zip")
///     let report = try Migrator(.builtIn, options: MigrationOptions(now: now))
///       .migrate(FileSource(path: "backup.zip"), to: &file)
///     try file.commit()
///
/// Text that no step changes stays the same: the digits of numbers, the escapes of strings, unknown members, and the order of
/// members. Only the layout may change. Migrating again changes nothing.
///
///     survey ─▶ envelope: version, settings, … ─▶ plan ─▶ migrated envelope ─▶ ┐
///     pass   ─▶ collections: slices on all threads, record by record ────────▶ ┴─▶ output
///
/// In a ZIP archive the document is migrated; all other entries are copied unchanged, compressed or not, in order and with their
/// times. Entry comments, extra fields and permissions are not copied. Like `Unpacker`, it refuses unsafe and damaged archives
/// before anything is written.
///
/// Cost: one pass that only finds the collections, because a document may declare its version at its end; and one like a
/// conversion's, which holds one record at a time if steps change records. An archive takes two more passes. Memory: the document
/// without its collections, and a few slices of 1 MiB, regardless of the document's size; for an archive also what `ZIPReader`
/// and `ZIPWriter` keep per entry.
public struct Migrator: Sendable {
  let catalog: FormatCatalog
  let format: BackupFormat?
  let options: MigrationOptions
  var limits: ZIPLimits { ZIPLimits(options.execution.expansion) }

  /// - Parameters:
  ///   - catalog: the formats that documents may have, or be migrated to. An archive's document keeps its name.
  ///   - format: the format of all documents. If `nil`, it is detected.
  ///   - options: the version, the layout, the number of threads, and the limits of archives (`Execution.expansion`).
  public init(_ catalog: FormatCatalog, format: BackupFormat? = nil, options: MigrationOptions) {
    self.catalog = catalog
    self.format = format
    self.options = options
  }

  /// Migrates a backup: reads it twice, and writes to `sink` the second time.
  ///
  /// - Parameters:
  ///   - source: the backup. Unless it is a regular file, it is copied first; from 1 MiB on, to an unnamed temporary file.
  ///   - name: the file's name, which shows the format of an empty file (default: the source's).
  ///   - sink: receives the migrated backup, and nothing before it is known that the backup can be migrated.
  /// - Throws: `CofferError`, with the code `notABackup` for an archive that is not a backup, and `zipArchive` or `notZIP`
  ///   for a backup that can't become what `MigrationOptions.outputContainer` asks for;
  ///   `CancellationError`. Then discard what the sink has received.
  @discardableResult
  public func migrate<Sink: ByteSink>(
    _ source: some ByteSource, named name: String? = nil, to sink: inout Sink
  ) throws -> MigrationReport {
    try options.execution.cancellation.watch {
      let stored = try StoredBytes.storing(source, named: name ?? "the backup", options.execution)
      options.execution.progress?.expect(stored.byteCount(ofPasses: 2))
      let backup = try OpenedBackup(StoredSource(stored), named: name ?? stored.name, options.execution.unmetered)
      if let wanted = options.outputContainer, wanted != backup.container {
        throw wanted == .json
          ? CofferError(.zipArchive, "a ZIP archive can't become a document: unpack it first")
          : CofferError(.notZIP, "a document can't become a ZIP archive: pack the migrated document")
      }
      return try backup.isArchive ? migrate(archive: stored, to: &sink) : migrate(backup, to: &sink)
    }
  }

  /// Migrates a backup's document: reads it twice.
  ///
  /// - Parameter backup: its name shows the format of an empty file.
  @discardableResult
  package func migrate<Sink: ByteSink>(_ backup: OpenedBackup, to sink: inout Sink) throws -> MigrationReport {
    try options.execution.cancellation.watch {
      var (envelope, collectionCount, plan, substitute) = try survey(backup)
      let parts = plan.migrations.flatMap { migration in migration.steps.map { (migration, $0) } }
      var runner = StepRunner(parts.map(\.1), now: options.now)
      runner.run(onEnvelope: &envelope)
      if let policy = plan.after.version, let version = plan.versionAfter, !envelope.declare(version, by: policy) {
        throw CofferError(.noVersion, "the document has no place for a version at \(policy.pointer)")
      }
      let source = try substitute.map { MemorySource($0.utf8) } ?? backup.document().source
      let consumer = try MigrationConsumer(envelope, collectionCount: collectionCount, runner: runner, options: options, to: sink)
      var pass = DocumentPass(source, for: consumer, options: options.pass)
      defer { sink = pass.consumer.sink }
      try pass.run()
      return report(of: plan, parts, pass.consumer.runner.tally, bytes: pass.bytesRead)
    }
  }

  // MARK: The plan

  /// Reads the document's envelope and determines the necessary steps.
  private func survey(
    _ backup: OpenedBackup
  ) throws -> (envelope: ValueTree, collectionCount: Int, plan: MigrationPlan, emptyDocumentSubstitute: String?) {
    let container = backup.container == .zip ? .zip : options.container
    let document = try IdentifiedDocument(
      OpenedDocument(backup.document().source, named: backup.name, in: container),
      rules: format.map { .format($0) } ?? .detected(catalog), syntax: .json)
    let format: BackupFormat
    switch document.identity {
    case .format(let known, _): format = known
    case .rules: throw CofferError(.unknownFormat, "the rules describe no format")
    case .undetected(let detection):
      // A document that isn't JSON has no format for that reason.
      if !detection.isAmbiguous { try checkWellFormed(document.source) }
      throw detection.problem
    }
    // Slices are skipped, so workers have nothing to do.
    var pass = options.pass
    pass.execution.jobs = 1
    // They are counted when they are migrated.
    pass.execution.progress = nil
    var survey = DocumentPass(document.source, for: EnvelopeSurvey(sizeLimit: options.heldSize), options: pass)
    do {
      try survey.run()
    } catch let error as CofferError where error.place.position != nil {
      // An earlier error in a collection, which this pass skipped, must be reported first.
      try checkWellFormed(backup.document().source)
      throw CofferError(.inputChanged, "the input changed while it was being read")
    }
    let envelope = survey.consumer.tree
    let declared = format.version.map { envelope.declaredVersion(by: $0) } ?? .absent
    let prefix = document.emptyDocumentSubstitute.map { Array($0.utf8) } ?? document.prefix
    let outline = DocumentOutline(
      of: prefix, in: container, for: DocumentOutline.Paths(catalog.criteria + (self.format?.criteria ?? [])))
    let plan = try MigrationPlan(for: format, declared: declared, to: options.version, outline: outline, catalog: catalog)
    return (envelope, survey.consumer.tracker.count, plan, document.emptyDocumentSubstitute)
  }

  private func checkWellFormed(_ source: any ByteSource) throws {
    var passOptions = options.pass
    passOptions.execution.progress = nil
    var pass = DocumentPass(source, for: SyntaxCheck(limits: options.limits), options: passOptions)
    try pass.run()
  }

  // MARK: Report

  private func report(
    of plan: MigrationPlan, _ parts: [(Migration, MigrationStep)], _ tally: MigrationTally, bytes: Int
  ) -> MigrationReport {
    let steps = zip(parts, tally.counts).map { part, count in
      MigrationReport.Step(part.1, of: part.0, changed: count.changed, skipped: count.skipped, cut: count.cut)
    }
    return MigrationReport(of: plan, steps: steps, bytes: bytes)
  }
}

/// Options for migrating a document.
public struct MigrationOptions: Sendable {
  /// The version to stop at, or `nil` for the current one.
  public var version: Int?
  /// The document's container: some formats differ between a plain file and an entry of a ZIP.
  public var container = BackupFormat.Container.json
  /// The container that the output's name promises. A backup of another kind is an error. If `nil`, both are accepted.
  public var outputContainer: BackupFormat.Container?
  /// The current time, for steps that fill it in: the same for the whole run.
  public var now: Instant
  public var layout = JSONEventWriter.Layout.compact
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?
  public var limits = ReaderLimits()
  /// The maximum memory for a record that a step changes, and for the document without its collections. Exceeding it is an error.
  public var heldSize = 256 << 20
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  /// Creates options with the current time and the defaults above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions { PassOptions(limits: limits, execution: execution, slices: slices) }
}
