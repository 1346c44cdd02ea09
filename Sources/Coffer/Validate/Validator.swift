public import BackupFormats
public import ByteStreams
public import Findings
import JSONEvents
import LZ4Streams
public import Rules

/// What a document is checked against.
public enum ValidationRules: Sendable {
  /// The format that the document shows itself to be of; an unknown one is checked for well-formedness alone.
  case detected(FormatCatalog)
  case format(BackupFormat)
  /// - Parameter name: how reports call the rules.
  case document(RuleDocument, name: String)
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
public struct Validator {
  private let rules: ValidationRules
  private let options: ValidationOptions
  private var programs: [String: RuleProgram] = [:]

  public init(_ rules: ValidationRules, options: ValidationOptions) {
    self.rules = rules
    self.options = options
  }

  /// Compiles the rules now, where they are known before a document is.
  ///
  /// - Throws: `RuleCompileError`.
  public mutating func prepare() throws(RuleCompileError) {
    switch rules {
    case .detected: break
    case .format(let format): _ = try program(of: format.rules, named: format.name)
    case .document(let document, let name): _ = try program(of: document, named: name)
    }
  }

  /// Reads `source` to its end and says what was found. What keeps it from being read to its end is the report's `error`.
  ///
  /// - Parameters:
  ///   - source: the document, or LZ4 data that holds it: then places and sizes are those of the document.
  ///   - name: its name in the report.
  /// - Throws: `RuleCompileError` if the rules can't be compiled, `CancellationError` if the options' cancellation is requested.
  public mutating func validate(_ source: some ByteSource, named name: String) throws -> ValidationReport {
    var report = ValidationReport(file: name)
    let start = ContinuousClock.now
    do {
      var source = try LZ4Source.detecting(source)
      var passOptions = options.pass
      passOptions.syntax = options.syntax ?? JSONSyntax(ofFileNamed: name)
      if let program = try program(for: &source, passOptions.syntax, &report) {
        let consumer = ValidationConsumer(program, options)
        passOptions.keys = consumer.keys
        var pass = DocumentPass(source, for: consumer, options: passOptions)
        defer {
          pass.consumer.describe(in: &report)
          report.bytes = pass.bytesRead
        }
        try pass.run()
      }
    } catch let error where error is RuleCompileError || error is CancellationError {
      throw error
    } catch {
      try options.cancellation.check()
      let error = DocumentError(error)
      report.error = error
      // How much more had been read by then depends on how the source cuts its bytes.
      if let position = error.position { report.bytes = position.offset }
    }
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return report
  }

  // MARK: Rules

  /// The program for a document, whose start is looked at if its format is to be detected. `nil`: the report says why there is none.
  private mutating func program(
    for source: inout any ByteSource, _ syntax: JSONSyntax, _ report: inout ValidationReport
  ) throws -> RuleProgram? {
    switch rules {
    case .format(let format):
      report.format = format.name
      return try program(of: format.rules, named: format.name)
    case .document(let document, let name):
      report.format = name
      return try program(of: document, named: name)
    // All formats are objects, and lines make an array.
    case .detected where syntax == .jsonLines: return try program(of: try RuleDocument(MemorySource("true".utf8)), named: "")
    case .detected(let catalog):
      let prefix = try source.readPrefix(FormatCatalog.prefixSize)
      source = PrefixedSource(prefix: prefix, rest: source)
      switch catalog.detect(in: prefix) {
      case .format(let format):
        report.format = format.name
        return try program(of: format.rules, named: format.name)
      case .unknown: return try program(of: try RuleDocument(MemorySource("true".utf8)), named: "")
      case .ambiguous(let formats):
        let names = formats.map(\.name).joined(separator: ", ")
        report.error = DocumentError(
          code: "ambiguous-format", message: "several formats fit (\(names)): name one with --rules", position: nil)
        return nil
      }
    }
  }

  private mutating func program(of document: RuleDocument, named name: String) throws(RuleCompileError) -> RuleProgram {
    if let known = programs[name] { return known }
    let program = try document.compiled()
    programs[name] = program
    return program
  }
}

extension DocumentError {
  init(_ error: any Error) {
    switch error {
    case let error as JSONReadError:
      let position = error.position
      self.init(
        code: error.code.rawValue, message: error.message,
        position: Position(line: position.line, column: position.column, offset: position.offset))
    case let error as ByteStreamError:
      self.init(code: error.code.rawValue, message: error.message, position: nil)
    default:
      self.init(code: "internal", message: "\(error)", position: nil)
    }
  }
}
