package import BackupFormats
public import ByteStreams
public import Findings
import JSONEvents
package import Rules
import Synchronization
public import ZIPArchives

/// Validates backups against rules that are compiled once: documents, compressed documents and ZIP archives.
///
/// For example:
///
///     let validator = Validator(.detected(.builtIn), options: ValidationOptions(now: now))
///     let report = try validator.validate(FileSource(path: "backup.zip"), named: "backup.zip")
///     print(report.isValid, report.findings.first?.place.entry ?? "")     // false photos/stray.jpg
///
/// The first bytes show whether a backup is an archive. Nothing is unpacked to disk: the archive's document is validated as it is
/// read, and the same pass checks the names, sizes and checksums of all other entries, and the document's statements about them.
///
/// Threads and tasks can share a validator.
///
/// Cost: one pass; digests (MD5, SHA-256) that the document declares are computed on other threads. Memory: that of
/// `RuleEvaluator` and `JSONEventReader`, regardless of the document's size; for an archive also what `ZIPReader` keeps per
/// entry, about 200 bytes and the name of each entry, and up to 1 MiB of each side document.
public struct Validator: Sendable {
  let rules: RuleSource
  let options: ValidationOptions
  let limits: ZIPLimits
  private let programs = ProgramCache()

  /// - Parameters:
  ///   - rules: the rules that backups are checked against. Only formats can describe archives: with a rule document that doesn't
  ///     describe a format, an archive is not a backup.
  ///   - options: with `only`, files are not checked that records of other collections may name.
  ///   - limits: the limits of an archive (default: those of `Execution.expansion`). Reading stops at them, and the report's
  ///     `error` has the code `limit`. The limits of a format's own readers (its descriptor's `archive.limits`) give findings
  ///     with the same code.
  public init(_ rules: RuleSource, options: ValidationOptions, limits: ZIPLimits? = nil) {
    self.rules = rules
    self.options = options
    self.limits = limits ?? ZIPLimits(options.execution.expansion)
  }

  /// Compiles the rules now, unless they depend on the backup.
  ///
  /// - Throws: `CofferError`, including if the rules lack a collection named by `ValidationOptions.only`.
  public func prepare() throws {
    switch rules {
    case .detected: break
    case .format(let format): _ = try program(of: format)
    case .document(let document, let name): _ = try program(of: document, named: name)
    }
  }

  /// Reads a backup to its end and reports the findings.
  ///
  /// Faults in single archive entries are findings with the codes of the errors. An error that stops reading is the report's
  /// `error`, for example `truncated`, or `not-a-backup` for an archive without a document of these formats or with two,
  /// `zip-archive` for one whose document is itself an archive.
  ///
  /// - Parameters:
  ///   - source: the backup. The directory of an archive is checked first if the source is a regular file, otherwise last. Places
  ///     and sizes refer to the decompressed document.
  ///   - name: its name in the report. Its extension selects the syntax (JSON or JSON Lines).
  /// - Throws: `CofferError`, including if the rules lack a collection named by `ValidationOptions.only`;
  ///   `CancellationError`.
  public func validate(_ source: some ByteSource, named name: String) throws -> ValidationReport {
    guard options.addsPlaces || options.explainsKeys || options.baseline != nil else {
      return try validate(source, named: name) { try run($0, by: $1, named: $2, in: $3) }
    }
    var report = try located(source, named: name)
    if let baseline = options.baseline { report.compare(with: baseline, keeping: options.maximumFindings) }
    return options.redacts ? report.withoutKeys : report
  }

  /// Validates a backup, and adds the ends of values and the records that hold them, even if values are left out.
  func located(_ source: some ByteSource, named name: String) throws -> ValidationReport {
    let stored: (bytes: StoredBytes, isCopy: Bool)?
    do throws(CofferError) { stored = try storedBytes(of: source, named: name) } catch {
      try options.execution.cancellation.check()
      var report = ValidationReport(file: name)
      report.error = error
      return report
    }
    var document: ContainedDocument?
    func firstPass(_ source: some ByteSource) throws -> ValidationReport {
      try validate(source, named: name) {
        let result = try run($0, by: $1, named: $2, in: $3)
        document = result
        return result
      }
    }
    var report: ValidationReport
    if let stored, stored.isCopy { report = try firstPass(StoredSource(stored.bytes)) } else { report = try firstPass(source) }
    if let document, let stored {
      try addPlaces(to: &report, of: document, in: stored.bytes)
      try explainKeys(of: &report, document, in: stored.bytes)
    }
    return report
  }

  /// Validates a decompressed document: a file, or an archive's entry.
  typealias DocumentValidation = (any ByteSource, RuleSource, String, BackupFormat.Container) throws -> ContainedDocument

  func validate(
    _ source: some ByteSource, named name: String, _ validateDocument: DocumentValidation
  ) throws -> ValidationReport {
    let start = ContinuousClock.now
    var report = ValidationReport(file: name)
    let opened: OpenedBackup
    do throws(CofferError) { opened = try OpenedBackup(source, options.execution) } catch {
      try options.execution.cancellation.check()
      report.error = error
      report.seconds = (ContinuousClock.now - start) / .seconds(1)
      return report
    }
    switch opened {
    case .document(let document): report = try validateDocument(document.source, rules, name, .json).report
    case .archive(let archive): report = try validate(archive, named: name, validateDocument)
    }
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return report
  }

  // MARK: Documents

  /// Validates a decompressed document, which may be an entry of a container.
  ///
  /// - Returns: the result, with the document's statements about the container's other entries.
  package func validate(
    _ document: any ByteSource, named name: String, in container: BackupFormat.Container
  ) throws -> ContainedDocument {
    try run(document, by: rules, named: name, in: container)
  }

  /// Validates a document, and passes its events to `observer` in the same pass.
  ///
  /// - Throws: `CofferError`, and the observer's errors.
  package func validate<Observer: ValidationObserver>(
    _ document: any ByteSource, named name: String, in container: BackupFormat.Container, observedBy observer: inout Observer
  ) throws -> ContainedDocument {
    try run(document, by: rules, named: name, in: container, observedBy: &observer)
  }

  func run(
    _ document: any ByteSource, by rules: RuleSource, named name: String, in container: BackupFormat.Container
  ) throws -> ContainedDocument {
    try run(document, by: rules, named: name, in: container) { source, program, passOptions, result in
      let consumer = ValidationConsumer(program, options, of: result.format, in: container)
      var passOptions = passOptions
      passOptions.keys = consumer.keys
      var pass = DocumentPass(source, for: consumer, options: passOptions)
      defer { result.describe(pass.consumer, bytesRead: pass.bytesRead) }
      try pass.run()
    }
  }

  func run<Observer: ValidationObserver>(
    _ document: any ByteSource, by rules: RuleSource, named name: String, in container: BackupFormat.Container,
    observedBy observer: inout Observer
  ) throws -> ContainedDocument {
    do {
      return try run(document, by: rules, named: name, in: container) { source, program, passOptions, result in
        do { try observer.begin(result, in: container) } catch { throw ObserverError(cause: error) }
        let validation = ValidationConsumer(program, options, of: result.format, in: container)
        var passOptions = passOptions
        passOptions.keys = validation.keys
        let consumer = ObservedValidation(validation, observer)
        var pass = DocumentPass(source, for: consumer, options: passOptions)
        defer {
          observer = pass.consumer.observer
          result.describe(pass.consumer.validation, bytesRead: pass.bytesRead)
        }
        try pass.run()
      }
    } catch let error as ObserverError {
      throw error.cause
    }
  }

  /// - Parameter pass: a pass over the document, whose rules are known.
  func run(
    _ document: any ByteSource, by rules: RuleSource, named name: String, in container: BackupFormat.Container,
    _ pass: (any ByteSource, RuleProgram, PassOptions, inout ContainedDocument) throws -> Void
  ) throws -> ContainedDocument {
    var result = ContainedDocument(report: ValidationReport(file: name))
    let start = ContinuousClock.now
    do {
      var passOptions = options.pass
      // An archive's document is JSON, whatever the archive is called.
      if container == .json { passOptions.syntax = options.syntax ?? JSONSyntax(ofFileNamed: name) }
      result.syntax = passOptions.syntax
      let identified = try IdentifiedDocument(document, rules: rules, named: name, syntax: passOptions.syntax, in: container)
      let program = try program(for: identified.identity, &result)
      if let format = result.format, let choice = try options.only?.choice(from: format) {
        result.leavesClaimsOut = choice.leftOutMembers.contains(where: format.rules.namesEntries(ofCollection:))
      }
      try pass(identified.source, program, passOptions, &result)
    } catch let error as CofferError where !error.concernsRequest {
      try end(&result.report, with: error)
    }
    result.report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return result
  }

  /// Reports an error that ended reading.
  func end(_ report: inout ValidationReport, with error: CofferError) throws {
    try options.execution.cancellation.check()
    report.error = options.redacts ? error.redacted : error
    // The number of bytes read past the error depends on the source's chunks.
    if let position = error.place.position { report.bytes = position.offset }
  }

  // MARK: Programs

  /// Returns the rules for a document, and describes the document in its report.
  func program(for identity: IdentifiedDocument.Identity, _ result: inout ContainedDocument) throws -> RuleProgram {
    result.describe(identity)
    let program =
      switch identity {
      case .format(let format, _): try program(of: format)
      case .rules(let rules, let name): try program(of: rules, named: name)
      case .undetected: try syntaxProgram(result.report.formatProblem)
      }
    result.report.leftOut = program.leftOut
    result.report.checkedRules = program.checkedRules
    return program.rules
  }

  /// Returns the rules for a document whose report already says what it is, and describes it further.
  ///
  /// - Throws: `planMismatch` if the catalog has no such format.
  func program(forDescribed result: inout ContainedDocument) throws -> RuleProgram {
    let program: ProgramCache.Program
    switch rules {
    case .detected(let catalog):
      result.format = try result.report.format.map { name throws(CofferError) in try catalog.format(ofPlan: name) }
      program = try result.format.map(self.program(of:)) ?? syntaxProgram(result.report.formatProblem)
    case .format(let format):
      result.format = format
      program = try self.program(of: format)
    case .document(let document, let name):
      result.rules = document
      program = try self.program(of: document, named: name)
    }
    result.report.leftOut = program.leftOut
    result.report.checkedRules = program.checkedRules
    return program.rules
  }

  /// The rules for a document whose format isn't known: only its syntax is checked.
  private func syntaxProgram(_ problem: FormatProblem?) throws -> ProgramCache.Program {
    if options.only != nil {
      let problem = problem == .ambiguous ? "several formats fit" : "unknown format"
      throw CofferError(.noCollections, "\(problem), so there are no collections to choose: name the rules")
    }
    return try program(of: try RuleDocument(MemorySource("true".utf8)), named: "")
  }

  private func program(of format: BackupFormat) throws -> ProgramCache.Program {
    guard let choice = try options.only?.choice(from: format) else {
      return ProgramCache.Program(rules: try format.program(), leftOut: [])
    }
    return try program(of: format.rules, named: format.name, choice, watching: format.archive?.watchedPlaces ?? [])
  }

  private func program(of document: RuleDocument, named name: String) throws -> ProgramCache.Program {
    try program(of: document, named: name, try options.only?.choice(from: document, named: name))
  }

  private func program(
    of document: RuleDocument, named name: String, _ choice: CollectionChoice?, watching places: [WatchedPlace] = []
  ) throws -> ProgramCache.Program {
    try programs.program(named: name) {
      let chosen = choice.map { document.leavingOut($0.leftOutMembers) } ?? document
      return ProgramCache.Program(rules: try chosen.compiled(watching: places), leftOut: choice?.leftOutTitles ?? [])
    }
  }
}

extension ContainedDocument {
  fileprivate mutating func describe(_ identity: IdentifiedDocument.Identity) {
    switch identity {
    case .format(let format, let match):
      self.format = format
      report.format = format.name
      report.dialect = match?.dialect
      report.candidates = match.map { [FormatCandidate($0)] } ?? []
    case .rules(let rules, let name):
      self.rules = rules
      report.format = name
    case .undetected(let error):
      report.candidates = error.candidates.map(FormatCandidate.init)
      report.formatProblem = error.code == .unknown ? .unknown : .ambiguous
      undecided = error.message
    }
  }
}

extension FormatCandidate {
  init(_ candidate: FormatCatalog.Candidate) {
    self.init(name: candidate.format.name, reasons: candidate.reasons, missing: candidate.missing)
  }
}

extension CofferError {
  /// True if the error is about what the caller asked for: the rules, or the choice of collections. All other errors are about
  /// the backup, and end up in reports.
  var concernsRequest: Bool {
    [.invalidRules, .unknownCollection, .noCollections, .invalidPointer, .invalidKey].contains(code)
  }

  /// Creates an error for a report from any error.
  package init(reporting error: any Error) {
    self = error as? CofferError ?? CofferError(.other, "\(error)", underlying: error)
  }
}

/// The result of validating a document, and its statements about its container.
package struct ContainedDocument {
  package var report: ValidationReport
  /// The document's format, or `nil` if it is unknown or the rules don't describe one.
  package var format: BackupFormat?
  /// The reason why the format could not be detected, and the remedy.
  package var undecided: String?
  /// The rules, if they don't describe a format.
  var rules: RuleDocument?
  var syntax = JSONSyntax.json
  /// `nil` if the document was not evaluated.
  package var claims: EntryClaims?
  /// True if `claims` is incomplete: collections were left out whose records name entries.
  package var leavesClaimsOut = false
  /// What a second evaluation can find out, if that is wanted and findings are about keys.
  var keySearch: KeySearch?
  /// The values that side documents must agree with: `ArchiveLayout.watchedPlaces`.
  package var watched: [WatchedValue] = []
}

extension ContainedDocument {
  /// Stores the result of a pass, which may have ended early.
  mutating func describe(_ consumer: borrowing ValidationConsumer, bytesRead: Int) {
    consumer.describe(in: &report)
    report.mayNeedEach = consumer.isArray == true && (format?.rules ?? rules)?.describesNoArray == true
    claims = consumer.entryClaims
    keySearch = consumer.keySearch
    watched = consumer.watched
    report.bytes = bytesRead
  }
}

/// A validator's compiled rules, keyed by the name of their format or rule document.
final class ProgramCache: Sendable {
  struct Program: Sendable {
    let rules: RuleProgram
    /// The titles of the collections that are not checked.
    let leftOut: [String]
    let checkedRules: [CheckedRule]

    init(rules: RuleProgram, leftOut: [String]) {
      self.rules = rules
      self.leftOut = leftOut
      checkedRules = rules.checkedRules
    }
  }

  private let programs = Mutex<[String: Program]>([:])

  func program(named name: String, compile: () throws -> Program) throws -> Program {
    try programs.withLock { programs in
      if let known = programs[name] { return known }
      let program = try compile()
      programs[name] = program
      return program
    }
  }
}

extension BackupSource {
  /// Returns the document's report, with the findings of an archive's other entries. Reads those entries, but not the document.
  ///
  /// - Parameters:
  ///   - document: the result of a pass over ``document()``, with its format, claims and watched values.
  ///   - validator: a validator with the rules and options of that pass.
  /// - Throws: the errors of `Validator.validate`.
  package func report(around document: ContainedDocument, by validator: Validator) throws -> ValidationReport {
    guard let archive else { return document.report }
    return try validator.validate(archive, around: document, named: name)
  }
}
