import BackupFormats
public import ByteStreams
import Findings
public import JSONEvents
public import Rules

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

  /// Creates an inspector. Nothing is read or compiled yet.
  ///
  /// - Parameters:
  ///   - rules: where a document's collections, version and origin are. With `detected`, each document is inspected by its own
  ///     format; for an unknown format, the structure is reported.
  ///   - options: the collections to report, and the worker threads. Creation dates later than `now` are reported. Beyond the
  ///     limits of `Execution.expansion`, reading stops, and the inspection's `error` has the code `limit`.
  public init(_ rules: RuleSource, options: InspectionOptions) {
    self.rules = rules
    self.options = options
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
    let error = try execution.reportedError {
      let backup = try OpenedBackup(source, named: name, execution)
      inspection = try backup.isArchive ? inspect(archive: backup) : inspect(backup.document(), by: rules).inspection
      inspection.compression = backup.compression
    }
    if let error { inspection.error = error }
    // The number of bytes read from a stream that broke off depends on its chunks.
    let read = progress.snapshot
    inspection.storedBytes = read.byteCount ?? (inspection.error == nil ? read.bytesRead : nil)
    return inspection
  }

  /// Inspects a document.
  ///
  /// - Returns: also the container entries that records name.
  func inspect(_ document: OpenedDocument, by rules: RuleSource) throws -> (inspection: Inspection, names: Set<String>) {
    var options = options.pass
    options.syntax = document.syntax(self.options.syntax)
    var inspection = Inspection(file: document.name, in: document.container, options.syntax)
    var names: Set<String> = []
    let error = try options.execution.reportedError {
      let identified = try IdentifiedDocument(document, rules: rules, syntax: options.syntax)
      inspection.format = Inspection.FormatIdentity(identified.identity)
      let plan = InspectionPlan(identified.identity, in: document.container, prefix: identified.prefix)
      var pass = DocumentPass(identified.source, for: InspectionConsumer(plan, limits: options.limits), options: options)
      // What was read before an error is described, too.
      inspection.fail(with: try options.execution.reportedError { try pass.run() })
      inspection.show(pass.syntax)
      if inspection.error == nil { inspection.documentBytes = pass.bytesRead }
      names = pass.consumer.entries
      try finish(&inspection, pass.consumer)
    }
    inspection.fail(with: error)
    return (inspection, names)
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
    var inspection = Inspection(file: backup.name, in: backup.container, validated.document?.syntax ?? .json)
    inspection.compression = backup.compression
    if let document = validated.document {
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
  fileprivate init(file: String, in container: BackupFormat.Container, _ syntax: JSONSyntax) {
    self.init(file: file)
    if container == .zip { self.container = .zip }
    show(syntax)
  }

  /// Adds the syntax of the document.
  fileprivate mutating func show(_ syntax: JSONSyntax) {
    switch syntax {
    case .json: break
    case .jsonLines: container = .jsonLines
    case .sequence: container = .sequence
    }
  }

  /// Adds the error that ended reading, if there was one.
  mutating func fail(with error: CofferError?) {
    guard let error else { return }
    self.error = error
    importability = .unreadable
    // The number of bytes read past the error depends on the source's chunks.
    if let position = error.place.position { documentBytes = position.offset }
  }

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
    var result = (report: ValidationReport(file: name), inspection: Inspection(file: name))
    let error = try options.execution.reportedError {
      let backup = try OpenedBackup(source, named: name, options.execution)
      let (inspection, validated) = try Inspector(rules, options: inspectionOptions).inspect(backup, validatedBy: self)
      result = (validated.report, inspection)
    }
    if let error { (result.report.error, result.inspection.error) = (error, error) }
    return result
  }
}
