import BackupFormats
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
      let backup = try OpenedBackup(source, named: name, execution)
      inspection = try backup.isArchive ? inspect(archive: backup) : inspect(backup.document(), by: rules).inspection
      inspection.compression = backup.compression
    } catch let error as CofferError where !error.concernsRequest {
      try options.execution.cancellation.check()
      inspection.error = error
    }
    // The number of bytes read from a stream that broke off depends on its chunks.
    let read = progress.snapshot
    inspection.storedBytes = read.byteCount ?? (inspection.error == nil ? read.bytesRead : nil)
    return inspection
  }

  /// Inspects a document.
  ///
  /// - Returns: also the container entries that records name.
  func inspect(_ document: OpenedDocument, by rules: RuleSource) throws -> (inspection: Inspection, names: Set<String>) {
    var inspection = Inspection(file: document.name)
    if document.container == .zip { inspection.container = .zip }
    var options = options.pass
    options.syntax = document.syntax(self.options.syntax)
    if options.syntax == .jsonLines { inspection.container = .jsonLines }
    do {
      let identified = try IdentifiedDocument(document, rules: rules, syntax: options.syntax)
      inspection.format = Inspection.FormatIdentity(identified.identity)
      let plan = InspectionPlan(identified.identity, in: document.container, prefix: identified.prefix)
      var pass = DocumentPass(identified.source, for: InspectionConsumer(plan, limits: options.limits), options: options)
      do {
        try pass.run()
      } catch {
        try note(error, in: &inspection)
      }
      if inspection.error == nil { inspection.documentBytes = pass.bytesRead }
      try finish(&inspection, pass.consumer)
      return (inspection, pass.consumer.entries)
    } catch {
      try note(error, in: &inspection)
      return (inspection, [])
    }
  }

  /// Adds what a pass over the document has found.
  private func finish(_ inspection: inout Inspection, _ consumer: InspectionConsumer) throws(CofferError) {
    consumer.describe(in: &inspection, now: options.now)
    if let only = options.only { try inspection.keep(only) }
  }

  /// Inspects a backup in the pass that validates it.
  func inspect(
    _ backup: OpenedBackup, validatedBy validator: Validator
  ) throws -> (inspection: Inspection, validated: ValidatedBackup) {
    var consumer = InspectionConsumer(limits: validator.options.limits)
    let validated = try validator.validate(backup, observedBy: &consumer)
    var inspection = Inspection(file: backup.name)
    if backup.container == .zip { inspection.container = .zip }
    inspection.compression = backup.compression
    if let document = validated.document {
      if document.syntax == .jsonLines { inspection.container = .jsonLines }
      inspection.format = document.identity.map(Inspection.FormatIdentity.init) ?? inspection.format
      inspection.documentBytes = document.report.bytes
      inspection.error = document.report.error
      try finish(&inspection, consumer)
    }
    if let archive = validated.archive {
      add(archive, naming: consumer.entries, to: &inspection, document: validated.document != nil)
    } else {
      inspection.error = validated.report.error
    }
    return (inspection, validated)
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
    case .undetected(let detection):
      let candidates = detection.candidates.map(FormatCandidate.init)
      self = detection.isAmbiguous ? .ambiguous(candidates) : .unknown(nearest: candidates)
    }
  }
}

extension InspectionPlan {
  init(_ identity: IdentifiedDocument.Identity, in container: BackupFormat.Container, prefix: [UInt8]) {
    switch identity {
    case .format(let format, _): self.init(format, in: container, prefix: prefix)
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

  var pass: PassOptions { PassOptions(limits: limits, execution: execution, slices: slices) }
}

extension Validator {
  /// Validates and inspects a backup in one pass.
  package func inspect(
    _ source: some ByteSource, named name: String
  ) throws -> (report: ValidationReport, inspection: Inspection) {
    var inspectionOptions = InspectionOptions(now: options.now)
    inspectionOptions.syntax = options.syntax
    do {
      let backup = try OpenedBackup(source, named: name, options.execution)
      let (inspection, validated) = try Inspector(rules, options: inspectionOptions).inspect(backup, validatedBy: self)
      return (validated.report, inspection)
    } catch let error as CofferError where !error.concernsRequest {
      try options.execution.cancellation.check()
      var (report, inspection) = (ValidationReport(file: name), Inspection(file: name))
      (report.error, inspection.error) = (error, error)
      return (report, inspection)
    }
  }
}
