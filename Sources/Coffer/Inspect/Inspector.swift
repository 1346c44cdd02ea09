public import BackupFormats
public import ByteStreams
import Findings
public import JSONEvents
public import Rules
public import ZIPArchives

/// Inspects backups without checking their records: format, importability, number of records and their dates.
///
/// For example:
///
///     let inspector = Inspector(.detected(.builtIn), options: InspectionOptions(now: now))
///     let inspection = try inspector.inspect(FileSource(path: "backup.zip"), named: "backup.zip")
///     print(inspection.importability.isPossible, inspection.collections.map(\.count), inspection.attachments?.missing ?? 0)
///
/// The first bytes show whether a backup is a ZIP archive. An archive is read to its end: if its entries are unsafe or damaged,
/// it can't be imported. Only `Validator` compares its files with those that the document declares.
///
/// Cost: one pass, on all threads, with the checksums of all archive entries. Memory: a few slices of 1 MiB, whatever the
/// document's size; for an archive also what `ZIPReader` keeps per entry, and the entry names in records.
public struct Inspector: Sendable {
  let rules: RuleSource
  let options: InspectionOptions
  let limits: ZIPLimits

  /// Creates an inspector. Nothing is read or compiled yet.
  ///
  /// - Parameters:
  ///   - rules: where a document's collections, version and origin are. With `detected`, each document is inspected by its own
  ///     format; for an unknown format, the structure is reported.
  ///   - options: the collections to report, and the worker threads. Creation dates later than `now` are reported.
  ///   - limits: the maximum size of an archive (default: those of `Execution.expansion`). Beyond it, reading stops, and the
  ///     inspection's `error` has the code `limit`.
  public init(_ rules: RuleSource, options: InspectionOptions, limits: ZIPLimits? = nil) {
    self.rules = rules
    self.options = options
    self.limits = limits ?? ZIPLimits(options.execution.expansion)
  }

  /// Reads a backup to its end and describes it.
  ///
  /// An error that stops reading is the inspection's `error`, with the codes of ``Validator/validate(_:named:)``.
  ///
  /// - Parameters:
  ///   - source: the backup. The directory of an archive is checked first if the source is a regular file, otherwise last.
  ///   - name: its name in the inspection.
  /// - Throws: `CancellationError`; `CofferError` if the rules lack a collection named by `InspectionOptions.only`.
  public func inspect(_ source: some ByteSource, named name: String) throws -> Inspection {
    let progress = WorkProgress(within: options.execution.progress)
    var execution = options.execution
    execution.progress = progress
    var inspection = Inspection(file: name)
    do {
      switch try OpenedBackup(source, execution) {
      case .document(let document):
        inspection.compression = document.format
        try inspect(document.source, &inspection)
      case .archive(let archive): inspection = try inspect(archive, named: name)
      }
    } catch let error as CofferError where !error.concernsRequest {
      try options.execution.cancellation.check()
      inspection.error = error
    }
    // The number of bytes read from a stream that broke off depends on its chunks.
    let read = progress.snapshot
    inspection.storedBytes = read.byteCount ?? (inspection.error == nil ? read.bytesRead : nil)
    return inspection
  }

  /// Inspects a decompressed document.
  ///
  /// - Returns: the container entries that records name.
  @discardableResult
  func inspect(_ document: any ByteSource, _ inspection: inout Inspection) throws -> Set<String> {
    var pass = options.pass
    let container: BackupFormat.Container = inspection.container == .zip ? .zip : .json
    if container == .json { pass.syntax = options.syntax ?? JSONSyntax(ofFileNamed: inspection.file) }
    if pass.syntax == .jsonLines { inspection.container = .jsonLines }
    do {
      let identified = try IdentifiedDocument(
        document, rules: rules, named: inspection.file, syntax: pass.syntax, in: container, prefixSize: FormatCatalog.prefixSize)
      inspection.format = Inspection.FormatIdentity(identified.identity)
      return try inspect(identified.source, by: InspectionPlan(identified, in: container), pass, &inspection)
    } catch {
      try note(error, in: &inspection)
      return []
    }
  }

  private func inspect(
    _ source: any ByteSource, by plan: InspectionPlan, _ options: PassOptions, _ inspection: inout Inspection
  ) throws -> Set<String> {
    var pass = DocumentPass(source, for: InspectionConsumer(plan, limits: options.limits), options: options)
    do {
      try pass.run()
    } catch {
      try note(error, in: &inspection)
    }
    if inspection.error == nil { inspection.documentBytes = pass.bytesRead }
    pass.consumer.describe(in: &inspection, now: self.options.now)
    if let only = self.options.only { try inspection.keep(only) }
    return pass.consumer.collections.reduce(into: []) { $0.formUnion($1.survey.tally.entries) }
  }

  private func note(_ error: any Error, in inspection: inout Inspection) throws {
    guard let error = error as? CofferError, !error.concernsRequest else { throw error }
    try options.execution.cancellation.check()
    inspection.error = error
    inspection.importability = .unreadable
    // The number of bytes read past the error depends on the source's chunks.
    if let position = error.place.position { inspection.documentBytes = position.offset }
  }
}

extension Inspection.FormatIdentity {
  init(_ identity: IdentifiedDocument.Identity) {
    switch identity {
    case .format(let format, let match):
      self = .known(name: format.name, title: format.title, dialect: match?.dialect, reasons: match?.reasons ?? [])
    case .rules(_, let name): self = .rules(name: name)
    case .undetected(let error):
      let candidates = error.candidates.map(FormatCandidate.init)
      self = error.code == .ambiguous ? .ambiguous(candidates) : .unknown(nearest: candidates)
    }
  }
}

extension InspectionPlan {
  fileprivate init(_ document: IdentifiedDocument, in container: BackupFormat.Container) {
    switch document.identity {
    case .format(let format, _): self.init(format, in: container, prefix: document.prefix)
    case .rules(let rules, _): self.init(rules)
    case .undetected: self.init()
    }
  }
}

extension Inspection {
  /// Keeps only the selected collections.
  fileprivate mutating func keep(_ selection: CollectionSelection) throws(CofferError) {
    let kept = try selection.choice(from: collections.map { ($0.pointer, $0.title) }, of: format.name).kept
    collections.removeAll { !kept.contains($0.pointer) }
  }
}

extension Inspection.FormatIdentity {
  /// The name used in messages.
  fileprivate var name: String {
    switch self {
    case .known(let name, _, _, _), .rules(let name): name
    case .unknown, .ambiguous: "the document"
    }
  }
}

/// Options for inspecting documents.
public struct InspectionOptions: Sendable {
  /// The current time: later creation dates are reported.
  public var now: Instant
  /// The documents' syntax. If `nil`, their names decide.
  public var syntax: JSONSyntax?
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  /// The collections to report, or `nil` for all.
  public var only: CollectionSelection?
  package var slices: Slicer.Options? = Slicer.Options()

  /// Creates options with the current time and the defaults above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions { PassOptions(execution, limits: limits, slices: slices) }
}

/// Inspects a document in the pass that validates it.
struct InspectionObserver: ValidationObserver {
  private let limits: ReaderLimits
  private var consumer: InspectionConsumer

  init(limits: ReaderLimits) {
    self.limits = limits
    consumer = InspectionConsumer(InspectionPlan(), limits: limits)
  }

  mutating func begin(_ document: ContainedDocument, in container: BackupFormat.Container) {
    guard let format = document.format else { return }
    consumer = InspectionConsumer(InspectionPlan(format, in: container, prefix: []), limits: limits)
  }

  mutating func take(_ batch: EventBatch, lines: LineCursor) { consumer.consume(batch, lines: lines) }

  func slices(recordsBefore: Int) -> (@Sendable () -> Slices)? { { [plan = consumer.recordPlan] in Slices(plan) } }

  mutating func merge(_ partial: RecordTally, of slice: Slice) { consumer.merge(partial, of: slice) }

  mutating func finish() { consumer.finish() }

  /// Returns the inspection, without migrations that depend on the document's content.
  func inspection(of document: ContainedDocument, in container: BackupFormat.Container, now: Instant) -> Inspection {
    var inspection = Inspection(file: document.report.file)
    if container == .zip { inspection.container = .zip }
    if let format = document.format {
      inspection.format = .known(name: format.name, title: format.title, dialect: document.report.dialect, reasons: [])
    }
    inspection.error = document.report.error
    inspection.documentBytes = document.report.bytes
    consumer.describe(in: &inspection, now: now)
    return inspection
  }

  /// One thread's part.
  struct Slices: SliceObserver {
    private var survey: RecordSurvey

    init(_ plan: CollectionPlan) { survey = RecordSurvey(plan, unknownLimit: .max) }

    mutating func begin(_ slice: Slice) {
      // Discards the tally of a previous slice for which `end` wasn't called.
      _ = end()
      survey.restart()
    }

    mutating func take(_ batch: EventBatch) { _ = survey.take(batch) }

    mutating func end() -> RecordTally { survey.takeTally(unknownLimit: .max) }
  }
}

extension Validator {
  /// Validates and inspects the document in one pass.
  ///
  /// - Returns: an inspection without an archive's other entries.
  package func inspect(
    _ source: some ByteSource, named name: String
  ) throws -> (report: ValidationReport, inspection: Inspection) {
    var inspection = Inspection(file: name)
    let report = try validate(source, named: name) { document, rules, name, container in
      var observer = InspectionObserver(limits: options.limits)
      let result = try run(document, by: rules, named: name, in: container, observedBy: &observer)
      inspection = observer.inspection(of: result, in: container, now: options.now)
      return result
    }
    inspection.error = report.error
    return (report, inspection)
  }
}
