public import BackupFormats
public import ByteStreams
public import Findings
import JSONEvents
public import Rules

/// What a document is checked against.
public enum ValidationRules: Sendable {
  /// The format that the document shows itself to be of. If none fits, or several do, the document is checked for well-formedness alone, and is not valid.
  case detected(FormatCatalog)
  case format(BackupFormat)
  /// - Parameter name: how reports call the rules.
  case document(RuleDocument, name: String)

  /// No rules: what is well-formed is valid.
  public static func syntaxOnly() throws -> ValidationRules {
    .document(try RuleDocument(MemorySource("true".utf8)), name: "syntax only")
  }
}

/// Validates documents, one after the other, against rules that are compiled once.
///
/// For example:
///
///     var validator = Validator(.detected(try .builtIn()), options: ValidationOptions(now: now))
///     let report = try validator.validate(FileSource(path: "export.json"), named: "export.json")
///     print(report.isValid, report.counts.total)
///
/// Cost: one pass; memory as `RuleEvaluator` and `JSONEventReader` say, whatever the document's size.
public struct Validator: Sendable {
  private let rules: ValidationRules
  let options: ValidationOptions
  private var programs: [String: (program: RuleProgram, leftOut: [String])] = [:]

  public init(_ rules: ValidationRules, options: ValidationOptions) {
    self.rules = rules
    self.options = options
  }

  /// Compiles the rules now, where they are known before a document is.
  ///
  /// - Throws: `RuleCompileError`; `CollectionError` if they describe no collection that alone is to be judged.
  public mutating func prepare() throws {
    switch rules {
    case .detected: break
    case .format(let format): _ = try program(of: format)
    case .document(let document, let name): _ = try program(of: document, named: name)
    }
  }

  /// Reads `source` to its end and says what was found. What keeps it from being read to its end is the report's `error`.
  ///
  /// - Parameters:
  ///   - source: the document, or LZ4 data that holds it: then places and sizes are those of the document.
  ///   - name: its name in the report.
  /// - Throws: `RuleCompileError` if the rules can't be compiled, `CollectionError` if they describe no collection that alone is to be judged,
  ///   `CancellationError` if the options' cancellation is requested.
  public mutating func validate(_ source: some ByteSource, named name: String) throws -> ValidationReport {
    try validate(source, named: name, in: .json).report
  }

  /// The same of a document that may stand in a container, with what it says of that container's other entries.
  package mutating func validate(
    _ source: some ByteSource, named name: String, in container: BackupFormat.Container
  ) throws -> ContainedDocument {
    let options = options
    return try validate(source, named: name, in: container) { source, program, passOptions, result in
      let consumer = ValidationConsumer(program, options, of: result.format, in: container)
      var passOptions = passOptions
      passOptions.keys = consumer.keys
      var pass = DocumentPass(source, for: consumer, options: passOptions)
      defer { result.describe(pass.consumer, bytesRead: pass.bytesRead) }
      try pass.run()
    }
  }

  /// The same, for an observer to see the document in the same pass.
  ///
  /// - Throws: what the observer throws, too.
  package mutating func validate<Observer: ValidationObserver>(
    _ source: some ByteSource, named name: String, in container: BackupFormat.Container, observedBy observer: inout Observer
  ) throws -> ContainedDocument {
    let options = options
    do {
      return try validate(source, named: name, in: container) { source, program, passOptions, result in
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

  /// - Parameter run: passes over the document, whose rules are known.
  private mutating func validate(
    _ source: some ByteSource, named name: String, in container: BackupFormat.Container,
    _ run: (any ByteSource, RuleProgram, PassOptions, inout ContainedDocument) throws -> Void
  ) throws -> ContainedDocument {
    var result = ContainedDocument(report: ValidationReport(file: name))
    let start = ContinuousClock.now
    do {
      var source = try source.document()
      var passOptions = options.pass
      passOptions.syntax = options.syntax ?? JSONSyntax(ofFileNamed: name)
      let (program, leftOut) = try program(for: &source, passOptions.syntax, container, &result)
      result.report.leftOut = leftOut
      if let format = result.format, let choice = try options.only?.choice(from: format) {
        result.leavesClaimsOut = choice.leftOutMembers.contains(where: format.rules.namesEntries(ofCollection:))
      }
      try run(source, program, passOptions, &result)
    } catch let error
      where error is RuleCompileError || error is CollectionError || error is CancellationError || error is ObserverError
    {
      throw error
    } catch {
      try options.cancellation.check()
      let error = DocumentError(error, redacted: options.redacts)
      result.report.error = error
      // How much more had been read by then depends on how the source cuts its bytes.
      if let position = error.position { result.report.bytes = position.offset }
    }
    result.report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return result
  }

  // MARK: Rules

  /// The program for a document, whose start is looked at if its format is to be detected, and what the collections are called that it leaves out.
  private mutating func program(
    for source: inout any ByteSource, _ syntax: JSONSyntax, _ container: BackupFormat.Container,
    _ result: inout ContainedDocument
  ) throws -> (program: RuleProgram, leftOut: [String]) {
    switch rules {
    case .format(let format):
      result.report.format = format.name
      if let text = format.emptyDocument {
        let prefix = try source.readPrefix(1)
        source = prefix.isEmpty ? MemorySource(text.utf8) : PrefixedSource(prefix: prefix, rest: source)
      }
      result.format = format
      return try program(of: format)
    case .document(let document, let name):
      result.report.format = name
      return try program(of: document, named: name)
    // No format is written a value a line.
    case .detected where syntax == .jsonLines:
      result.report.formatProblem = .unknown
      return try programOfUnknown()
    case .detected(let catalog):
      let prefix = try source.readPrefix(FormatCatalog.prefixSize)
      if prefix.isEmpty, let match = catalog.detect(emptyFileNamed: result.report.file) {
        source = MemorySource((match.format.emptyDocument ?? "").utf8)
        result.report.format = match.format.name
        result.format = match.format
        return try program(of: match.format)
      }
      source = PrefixedSource(prefix: prefix, rest: source)
      let detection = catalog.detect(in: prefix, container: container)
      result.report.candidates = detection.candidates.map(FormatCandidate.init)
      do {
        let match = try detection.decided()
        result.report.format = match.format.name
        result.report.dialect = match.dialect
        result.format = match.format
        return try program(of: match.format)
      } catch let error as DetectionError {
        result.report.formatProblem = error.code == .unknown ? .unknown : .ambiguous
        result.undecided = error.message
        return try programOfUnknown(error.code == .unknown ? "its format is unknown" : "several formats fit")
      }
    }
  }

  /// Nothing but well-formedness is checked.
  private mutating func programOfUnknown(
    _ problem: String = "its format is unknown"
  ) throws -> (program: RuleProgram, leftOut: [String]) {
    if options.only != nil {
      throw CollectionError(
        code: .noCollections, pointer: "", message: "\(problem), so there are no collections to choose: name the rules")
    }
    return try program(of: try RuleDocument(MemorySource("true".utf8)), named: "")
  }

  private mutating func program(of format: BackupFormat) throws -> (program: RuleProgram, leftOut: [String]) {
    guard let choice = try options.only?.choice(from: format) else { return (try format.program(), []) }
    return try program(
      of: format.rules, named: format.name, choice, watching: format.archive?.watchedPlaces ?? [])
  }

  private mutating func program(of document: RuleDocument, named name: String) throws -> (program: RuleProgram, leftOut: [String])
  {
    try program(of: document, named: name, try options.only?.choice(from: document, named: name))
  }

  private mutating func program(
    of document: RuleDocument, named name: String, _ choice: CollectionChoice?, watching places: [WatchedPlace] = []
  ) throws -> (program: RuleProgram, leftOut: [String]) {
    if let known = programs[name] { return known }
    let judged = choice.map { document.asking(nothingOf: $0.leftOutMembers) } ?? document
    let program = (program: try judged.compiled(watching: places), leftOut: choice?.leftOutTitles ?? [])
    programs[name] = program
    return program
  }
}

extension FormatCandidate {
  init(_ candidate: FormatCatalog.Candidate) {
    self.init(name: candidate.format.name, reasons: candidate.reasons, missing: candidate.missing)
  }
}

extension DocumentError {
  /// - Parameter redacted: nothing that the document holds is quoted.
  package init(_ error: any Error, redacted: Bool = false) {
    switch error {
    case let error as JSONReadError:
      let position = error.position
      self.init(
        code: error.code.rawValue, message: redacted ? error.redactedMessage : error.message,
        position: Position(line: position.line, column: position.column, offset: position.offset))
    case let error as ByteStreamError:
      self.init(code: error.code.rawValue, message: error.message, position: nil)
    default:
      self.init(code: "internal", message: "\(error)", position: nil)
    }
  }
}
