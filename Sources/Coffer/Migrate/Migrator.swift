public import BackupFormats
public import ByteStreams
import JSONEvents
import LZ4Streams
import Rules

/// Brings documents of older versions up to date, as their format's descriptor says.
///
/// For example:
///
///     var file = try AtomicFile(replacing: "migrated.json")
///     let report = try Migrator(.builtIn(), options: MigrationOptions(now: now))
///       .migrate(reopening: { try FileSource(path: "export.json") }, to: &file)
///     try file.commit()
///     print(report.text(named: "export.json"))
///
/// What no step is for keeps its text: numbers their digits, strings their escapes, members that nobody knows, and all orders. The layout becomes the one
/// that was asked for. Whoever migrates a document again changes nothing.
///
///     survey ─▶ spine: version, settings, … ─▶ plan ─▶ migrated spine ─▶ ┐
///     pass   ─▶ collections: slices on all threads, record by record ─▶  ┴─▶ output
///
/// Cost: one pass that looks for the collections only, for a document may say its version at its end; and one like a conversion's, in which records
/// that a step is for are held one at a time. Memory: what stands outside of collections, and some slices of 1 MiB, whatever the document's size.
public struct Migrator: Sendable {
  private let catalog: FormatCatalog
  private let format: BackupFormat?
  private let options: MigrationOptions

  /// - Parameters:
  ///   - catalog: the formats that documents may be of, or become.
  ///   - format: what all documents are of; `nil`: what they show themselves to be.
  ///   - options: to which version, how it is laid out, on how many threads.
  public init(_ catalog: FormatCatalog, format: BackupFormat? = nil, options: MigrationOptions) {
    self.catalog = catalog
    self.format = format
    self.options = options
  }

  /// Reads a document twice, and writes to `sink` on the second time.
  ///
  /// - Parameters:
  ///   - open: the document, or LZ4 data that holds it, each time from its start.
  ///   - name: the file's name: for a file of no bytes it tells the format.
  ///   - sink: where the migrated document goes. It gets nothing before it is known that there is a way.
  /// - Throws: `MigrationError`, `JSONReadError`, `ByteStreamError`, `CancellationError`. What the sink has got by then is good for nothing.
  @discardableResult
  public func migrate<Sink: ByteSink>(
    reopening open: () throws -> any ByteSource, named name: String? = nil, to sink: inout Sink
  ) throws -> MigrationReport {
    try options.cancellation.watch {
      let empty = try emptyFormat(open, named: name)
      func document() throws -> any ByteSource { try empty.map { MemorySource(($0.emptyDocument ?? "").utf8) } ?? open() }
      var (spine, collectionCount, plan) = try survey(document, of: empty ?? format)
      let parts = plan.migrations.flatMap { migration in migration.steps.map { (migration, $0) } }
      var runner = StepRunner(parts.map(\.1), now: options.now)
      runner.run(onSpine: &spine)
      if let policy = plan.after.version, let version = plan.versionAfter, !spine.declare(version, by: policy) {
        throw MigrationError(code: .noVersion, message: "it has no place for a version at \(policy.pointer)")
      }
      let source = try LZ4Source.detecting(try document())
      let consumer = try MigrationConsumer(spine, collectionCount: collectionCount, runner: runner, options: options, to: sink)
      var pass = DocumentPass(source, for: consumer, options: options.pass)
      defer { sink = pass.consumer.sink }
      try pass.run()
      return report(of: plan, parts, pass.consumer.runner.tally, bytes: pass.bytesRead)
    }
  }

  /// Reads a document that can be read once. It is kept until it is migrated, in a temporary file without a name if it has 1 MiB or more.
  ///
  /// - Throws: as ``migrate(reopening:named:to:)``.
  @discardableResult
  public func migrate<Sink: ByteSink>(_ source: some ByteSource, to sink: inout Sink) throws -> MigrationReport {
    let document = try options.cancellation.watch {
      try StoredBytes(copying: source, named: "the document", cancellation: options.cancellation)
    }
    return try migrate(reopening: { StoredSource(document) }, to: &sink)
  }

  // MARK: What is to be done

  /// Reads the document's spine, and finds out what is to be done to it.
  private func survey(
    _ open: () throws -> any ByteSource, of known: BackupFormat?
  ) throws -> (spine: ValueTree, collectionCount: Int, plan: MigrationPlan) {
    var source = try open().document()
    let prefix = try source.readPrefix(FormatCatalog.prefixSize)
    let paths = catalog.cluePaths.union(known?.cluePaths ?? [])
    let outline = DocumentOutline(of: prefix, in: options.container, for: paths)
    let format: BackupFormat
    do {
      format = try known ?? detectedFormat(of: outline)
    } catch let error as MigrationError where error.code == .unknownFormat {
      // What is no JSON is of no format for that reason.
      try proveWellFormed(PrefixedSource(prefix: prefix, rest: source))
      throw error
    }
    // Slices are not looked at, so nobody but the slicer works.
    var pass = options.pass
    pass.jobs = 1
    var survey = DocumentPass(
      PrefixedSource(prefix: prefix, rest: source), for: SpineSurvey(sizeLimit: options.heldSize), options: pass)
    do {
      try survey.run()
    } catch is JSONReadError {
      // An error in a collection comes first, which this pass has not seen.
      try proveWellFormed(try LZ4Source.detecting(try open()))
      throw MigrationError(code: .changed, message: "it has changed while it was read")
    }
    let spine = survey.consumer.tree
    let declared = format.version.map { spine.declaredVersion(by: $0) } ?? .absent
    let plan = try MigrationPlan(for: format, declared: declared, to: options.version, outline: outline, catalog: catalog)
    return (spine, survey.consumer.tracker.count, plan)
  }

  private func detectedFormat(of outline: DocumentOutline) throws(MigrationError) -> BackupFormat {
    do throws(DetectionError) {
      return try catalog.detect(outline).decided().format
    } catch {
      throw MigrationError(code: error.code == .unknown ? .unknownFormat : .ambiguousFormat, message: error.message)
    }
  }

  /// The format of a file of no bytes, if that stands for a document.
  private func emptyFormat(_ open: () throws -> any ByteSource, named name: String?) throws -> BackupFormat? {
    let named = format ?? name.flatMap { catalog.detect(emptyFileNamed: $0)?.format }
    guard let named, named.emptyDocument != nil else { return nil }
    var source = try open()
    return try source.readPrefix(1).isEmpty ? named : nil
  }

  private func proveWellFormed(_ source: any ByteSource) throws {
    var conversion = ConversionOptions()
    conversion.limits = options.limits
    conversion.jobs = options.jobs
    conversion.cancellation = options.cancellation
    conversion.slices = options.slices
    try Converter(options: conversion).proveWellFormed(source)
  }

  // MARK: What was done

  private func report(
    of plan: MigrationPlan, _ parts: [(Migration, MigrationStep)], _ tally: MigrationTally, bytes: Int
  ) -> MigrationReport {
    let steps = zip(parts, tally.counts).map { part, count in
      let (migration, step) = part
      return MigrationReport.Step(
        title: migration.title, version: migration.to, name: step.name, pointer: step.pointer, summary: step.summary,
        changed: count.changed, skipped: count.skipped, cut: count.cut)
    }
    return MigrationReport(
      format: plan.before.name, formatAfter: plan.after.name, versionBefore: plan.versionBefore, versionAfter: plan.versionAfter,
      currentVersion: plan.after.version?.current, endsEarly: plan.endsEarly, isVersionDeclared: plan.isVersionDeclared,
      steps: steps, bytes: bytes)
  }
}
