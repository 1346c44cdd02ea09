import BackupFormats
public import ByteStreams
public import Findings
import JSONEvents
import Rules
import Synchronization

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
public final class Validator: Sendable {
  let rules: RuleSource
  let options: ValidationOptions
  private let programs: ProgramCache

  /// - Parameters:
  ///   - rules: the rules that backups are checked against. Only formats can describe archives: with a rule document that doesn't
  ///     describe a format, an archive is not a backup.
  ///   - options: with `only`, files are not checked that records of other collections may name. Reading stops at the limits of
  ///     `Execution.expansion`, and the report's `error` has the code `limit`. The limits of a format's own readers (its
  ///     descriptor's `archive.limits`) give findings with the same code.
  public init(_ rules: RuleSource, options: ValidationOptions) {
    self.rules = rules
    self.options = options
    programs = ProgramCache()
  }

  /// Creates a validator with the rules of another one, which are compiled once.
  init(_ other: Validator, _ options: ValidationOptions) {
    rules = other.rules
    programs = other.programs
    self.options = options
  }

  /// Returns this validator with other threads and limits. Both have the same compiled rules.
  package func running(_ execution: Execution) -> Validator {
    var options = options
    options.execution = execution
    return Validator(self, options)
  }

  /// Compiles the rules now, unless they depend on the backup.
  ///
  /// - Throws: `CofferError`, including if the rules lack a collection named by `ValidationOptions.only`.
  public func prepare() throws {
    if let identity = try identity(ofFormat: nil) { _ = try program(of: identity) }
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
    report(try validateKeepingKeys(source, named: name))
  }

  /// Returns a report as the options want it.
  func report(_ report: ValidationReport) -> ValidationReport {
    var report = report
    if let baseline = options.baseline { report.compare(with: baseline, keeping: options.maximumFindings) }
    return options.redacts ? report.withoutKeys : report
  }

  /// Validates a backup, and adds the ends of values and the records that hold them if the options ask for them, even if values are
  /// left out.
  ///
  /// - Parameter review: gets a document that can be read again, its report and its places.
  func validateKeepingKeys(
    _ source: some ByteSource, named name: String,
    reviewed review: ((ValidatedDocument, ValidationReport, OpenedBackup) throws -> Void)? = nil
  ) throws -> ValidationReport {
    let readsAgain = options.addsPlaces || options.explainsKeys || options.baseline != nil
    let start = ContinuousClock.now
    let backup: OpenedBackup
    do throws(CofferError) {
      let keeps = readsAgain && (source is MemorySource || options.baseline != nil) || review != nil
      backup = try OpenedBackup(source, named: name, options.execution, keeps: keeps)
      if let count = backup.byteCount { options.execution.progress?.expect(count) }
    } catch {
      try options.execution.cancellation.check()
      var report = ValidationReport(file: name)
      report.error = error
      report.seconds = (ContinuousClock.now - start) / .seconds(1)
      return report
    }
    if review != nil, backup.isArchive {
      var report = ValidationReport(file: name)
      report.error = CofferError(.zipArchive, OpenedBackup.archiveRefusal(of: "this"))
      return report
    }
    var observer = Unobserved()
    var result = try validate(backup, observedBy: &observer)
    if readsAgain, let document = result.document, let stored = backup.stored?.unmetered {
      try addPlaces(to: &result.report, of: document, in: stored)
      try explainKeys(of: &result.report, document, in: stored)
    }
    if let review, let document = result.document { try review(document, result.report, backup) }
    return result.report
  }

  // MARK: One pass

  /// Validates a backup, and passes its document's events to `observer` in the same pass.
  ///
  /// - Throws: `CofferError`, and the observer's errors.
  func validate<Observer: ValidationObserver>(
    _ backup: OpenedBackup, observedBy observer: inout Observer
  ) throws -> ValidatedBackup {
    let start = ContinuousClock.now
    var result: ValidatedBackup
    if backup.isArchive {
      result = try validate(archive: backup, observedBy: &observer)
    } else {
      let document = try validate(backup.document(), observedBy: &observer)
      result = ValidatedBackup(report: document.report, document: document)
    }
    result.report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return result
  }

  /// Validates a document, which may be an entry of a container.
  ///
  /// - Returns: the result, with the document's statements about the container's other entries.
  package func validate(_ document: OpenedDocument) throws -> ValidatedDocument {
    var observer = Unobserved()
    return try validate(document, observedBy: &observer)
  }

  /// Validates a document, and passes its events to `observer` in the same pass.
  ///
  /// - Parameter rules: the rules, if they aren't all of the validator's.
  /// - Throws: `CofferError`, and the observer's errors.
  package func validate<Observer: ValidationObserver>(
    _ document: OpenedDocument, by rules: RuleSource? = nil, observedBy observer: inout Observer
  ) throws -> ValidatedDocument {
    var result = ValidatedDocument(report: ValidationReport(file: document.name))
    let start = ContinuousClock.now
    var padding: JSONEventReader.Padding?
    do {
      var passOptions = options.pass
      passOptions.syntax = document.syntax(options.syntax)
      result.syntax = passOptions.syntax
      let identified = try IdentifiedDocument(document, rules: rules ?? self.rules, syntax: passOptions.syntax)
      result.prefix = identified.prefix
      result.identify(as: identified.identity)
      let program = try program(for: &result)
      if let format = result.format, let choice = try options.only?.choice(from: format) {
        result.leavesClaimsOut = choice.leftOutMembers.contains(where: format.rules.namesEntries(ofCollection:))
      }
      do { try observer.begin(result, in: document.container) } catch { throw ObserverError(cause: error) }
      let evaluator = DocumentEvaluator(program, options: options.evaluation(of: result.format, in: document.container))
      passOptions.keys = evaluator.options.keyComparison
      passOptions.toleratesPadding = true
      var pass = DocumentPass(identified.source, for: ObservedValidation(evaluator, observer), options: passOptions)
      defer {
        observer = pass.consumer.observer
        result.detect(pass.syntax)
        result.describe(pass.consumer.evaluator, bytesRead: pass.bytesRead, options: options)
      }
      try pass.run()
      padding = pass.padding
    } catch let error as ObserverError {
      throw error.cause
    } catch let error as CofferError where !error.concernsRequest {
      try end(&result.report, with: error)
    }
    if let padding { result.report.add(padding, keeping: options.maximumFindings) }
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

  /// Returns the rules for a document whose report already says what it is, and adds to the report what they check.
  ///
  /// - Throws: `planMismatch` if the catalog has no such format.
  func program(for result: inout ValidatedDocument) throws -> RuleProgram {
    let identity = try result.identity ?? identity(ofFormat: result.report.format)
    result.identity = identity
    let (program, leftOut) = try program(of: identity, result.report.formatProblem)
    result.report.leftOut = leftOut
    result.report.checkedRules = program.checkedRules
    return program
  }

  /// Returns what a document of a known format is, without reading it, or `nil` if the format must be detected.
  private func identity(ofFormat format: String?) throws(CofferError) -> IdentifiedDocument.Identity? {
    switch rules {
    case .detected(let catalog):
      try format.map { name throws(CofferError) in .format(try catalog.format(ofPlan: name), match: nil) }
    case .format(let format): .format(format, match: nil)
    case .document(let document, let name): .rules(document, name: name)
    }
  }

  /// - Parameter problem: why the format isn't known, if it isn't. Then only the syntax is checked.
  private func program(
    of identity: IdentifiedDocument.Identity?, _ problem: FormatProblem? = nil
  ) throws -> ProgramCache.Program {
    switch identity {
    case .format(let format, _):
      guard let choice = try options.only?.choice(from: format) else { return (try format.program(), []) }
      return try programs.program(of: format.rules, named: format.name, choice, watching: format.archive?.watchedPlaces ?? [])
    case .rules(let rules, let name):
      return try programs.program(of: rules, named: name, try options.only?.choice(from: rules, named: name))
    case .undetected, nil:
      if options.only != nil {
        let problem = problem == .ambiguous ? "several formats fit" : "unknown format"
        throw CofferError(.noCollections, "\(problem), so there are no collections to choose: name the rules")
      }
      return try programs.program(of: .syntaxOnly(), named: "", nil)
    }
  }
}

extension ValidatedDocument {
  /// Says in the report what the document is.
  mutating func identify(as identity: IdentifiedDocument.Identity) {
    self.identity = identity
    switch identity {
    case .format(let format, let match):
      report.format = format.name
      report.dialect = match?.dialect
      report.candidates = match.map { [FormatCandidate($0)] } ?? []
    case .rules(_, let name): report.format = name
    case .undetected(let detection):
      report.candidates = detection.candidates.map(FormatCandidate.init)
      report.formatProblem = detection.isAmbiguous ? .ambiguous : .unknown
    }
  }
}

extension ValidationReport {
  /// Adds the finding about zeros behind the document, which are the last one.
  fileprivate mutating func add(_ padding: JSONEventReader.Padding, keeping limit: Int) {
    let finding = Finding(
      code: "padding", keyword: "", severity: .error,
      message: "\(padding.zeroCount.counted("zero byte")) follow\(padding.zeroCount == 1 ? "s" : "") the document",
      place: Place(at: padding.position), schemaLocation: "")
    counts.add(1, finding.rule)
    if findings.count < limit { findings.append(finding) }
  }
}

extension FormatCandidate {
  init(_ candidate: FormatCatalog.Candidate) {
    self.init(name: candidate.format.name, reasons: candidate.reasons, missing: candidate.missing)
  }
}

/// The result of validating a backup.
struct ValidatedBackup {
  var report: ValidationReport
  /// `nil` if the backup has none.
  var document: ValidatedDocument?
  /// The other entries of an archive.
  var archive: ArchivePass?
}

/// The rules that a validator has compiled itself, by the name of their format or rule document. Formats share their whole programs.
private final class ProgramCache: Sendable {
  /// - Parameter leftOut: the titles of the collections that are not checked.
  typealias Program = (rules: RuleProgram, leftOut: [String])

  private let programs = Mutex<[String: Program]>([:])

  func program(
    of document: RuleDocument, named name: String, _ choice: CollectionChoice?, watching places: [WatchedPlace] = []
  ) throws -> Program {
    try programs.withLock { programs in
      if let known = programs[name] { return known }
      let chosen = choice.map { document.leavingOut($0.leftOutPaths) } ?? document
      let program = (try chosen.compiled(watching: places), choice?.leftOutTitles ?? [])
      programs[name] = program
      return program
    }
  }
}
