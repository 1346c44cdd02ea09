public import ArgumentParser
public import Coffer
import Reports
import RulesYAML
import SystemPackage

struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check backups against the rules of their format, or against rules of your own.",
    discussion: """
      Without --rules the format is told from the document's start; of an unknown one only well-formedness is checked.
      A finding says which rule was broken and where: JSON Pointer, line, column, byte offset.

      Examples:
        coffer validate export.json
        coffer validate backups/*.json --output-format json --output report.json
        coffer validate export.json.lz4
        gunzip -c export.json.gz | coffer validate -
        coffer validate --rules rules.json --now 2026-01-01T00:00:00Z export.json
        coffer validate --rules rules.json --map http://example.org/schemas/=schemas export.json
      """)

  enum OutputFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: ArgumentHelp("The backups, as they are or compressed by LZ4; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The rules: a format's name (see: coffer formats) or a rule document's path; JSON, or YAML if it ends in .yaml or .yml; - is standard input.",
      valueName: "name-or-file"))
  var rules: String?

  @Option(
    name: [.customLong("input-format"), .customLong("from")],
    help:
      "How the backups are written down; unless told, ndjson (a value a line) where the name ends in .ndjson or .jsonl, else json."
  )
  var inputFormat: SyntaxArgument?

  @Option(help: "How to write the report.")
  var outputFormat = OutputFormat.text

  @Option(help: ArgumentHelp("Write the report to this file instead of standard output.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("How many findings of each file to show; all are counted.", valueName: "n"))
  var maxFindings = 1000

  @Option(help: ArgumentHelp("What the rules take for the present time (RFC 3339).", valueName: "time"))
  var now: TimeArgument?

  @Option(help: ArgumentHelp("How many threads work; all processors unless told. Reports never depend on it.", valueName: "n"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "How much memory keys and waiting references may take; what is more goes to a temporary file.", valueName: "size"))
  var memoryLimit = ByteSize(bytes: 256 << 20)

  @Option(help: "What becomes of keys that their object has had before: nothing, a warning, or an error.")
  var duplicateKeys = ValidationOptions.DuplicateKeys.warn

  @Flag(help: "Let warnings fail the run, too.")
  var strict = false

  @OptionGroup var ruleArguments: RuleArguments

  @Flag(help: "Leave values of the documents out of the report.")
  var redact = false

  @Flag(help: "No colours.")
  var noColor = false

  func validate() throws {
    if files.isEmpty { throw ValidationError("name at least one file, or - for standard input") }
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is between 1 and 256") }
    if memoryLimit.bytes < 1 << 20 { throw ValidationError("--memory-limit is at least 1MiB") }
    if maxFindings < 0 { throw ValidationError("--max-findings is not negative") }
    if (files + [rules].compactMap(\.self)).filter({ $0 == "-" }).count > 1 {
      throw ValidationError("standard input can be read only once")
    }
  }

  func run() throws {
    if let output, let input = (files + [rules].compactMap(\.self)).first(where: { $0 != "-" && Output.isSameFile($0, output) }) {
      Output.complain("the report would replace \(input), which is to be read")
      throw ExitStatus.refused
    }
    var options = ValidationOptions(now: now?.instant ?? .now())
    options.syntax = inputFormat?.syntax
    options.maximumFindings = maxFindings
    options.redacts = redact
    options.duplicateKeys = duplicateKeys
    if let jobs { options.jobs = jobs }
    options.memoryLimit = memoryLimit.bytes
    options.cancellation = Interruption.start()
    var validator = Validator(try validationRules(), options: options)
    var reports: [ValidationReport] = []
    do {
      try validator.prepare()
      for file in files { reports.append(try validator.validate(file: file, cancellation: options.cancellation)) }
    } catch is CancellationError {
      throw Interruption.status
    } catch let error as RuleCompileError {
      Output.complain(error.text(in: rules ?? "the rules"))
      throw ExitStatus.usage
    }
    try Interruption.stop()
    try write(reports)
    if let status = reports.map(status(of:)).max(), status != .sound { throw status }
  }

  private func status(of report: ValidationReport) -> ExitStatus {
    if report.error != nil { return .unreadable }
    return report.isValid && !(strict && report.counts.count(.warning) > 0) ? .sound : .findings
  }

  /// The rules that `--rules` names, or the formats to tell the document's from.
  private func validationRules() throws -> ValidationRules {
    let catalog = try FormatCatalog.builtIn()
    guard let rules else { return .detected(catalog) }
    if let format = catalog[rules] { return .format(format) }
    do {
      let options = ruleArguments.options
      if rules == "-" {
        let source = try LZ4Source.detecting(FileSource.standardInput())
        return .document(try RuleDocument(source, options: options), name: "standard input")
      }
      let path = FilePath(rules)
      let source = try LZ4Source.detecting(try FileSource(path: path))
      return .document(try RuleDocument(source, syntax: options.syntax(of: path), options: options), name: rules)
    } catch let error as RuleCompileError {
      Output.complain(error.text(in: rules))
    } catch let error as JSONReadError {
      Output.complain("\(rules):\(error.position.line):\(error.position.column): the rules are no JSON: \(error.message)")
    } catch let error as ByteStreamError where error.code == .notFound {
      let names = catalog.formats.map(\.name)
      Output.complain("--rules \(rules): neither a format (\(names.joined(separator: ", "))) nor a file")
    } catch {
      Output.complain("\(error)")
    }
    throw ExitStatus.usage
  }

  private func write(_ reports: [ValidationReport]) throws {
    var text: String
    switch outputFormat {
    case .json: text = JSONReport().text(of: reports)
    case .text:
      var renderer = TextReport()
      renderer.usesColor = output == nil && Output.usesColor(unless: noColor)
      text = reports.map(renderer.text(of:)).joined(separator: "\n")
    }
    guard let output, output != "-" else { return Output.print(text) }
    do {
      var file = try OutputFile(output, existing: .replace)
      try file.write(text)
      try file.commit()
    } catch {
      Output.complain(error.message)
      throw ExitStatus(writing: error)
    }
  }
}

extension ValidationOptions.DuplicateKeys: ExpressibleByArgument {}

extension Validator {
  /// Validates a file, or standard input; what keeps it from being opened is in the report.
  fileprivate mutating func validate(file: String, cancellation: Cancellation?) throws -> ValidationReport {
    if file == "-" { return try validate(FileSource.standardInput(cancellation: cancellation), named: "standard input") }
    let source: FileSource
    do throws(ByteStreamError) {
      source = try FileSource(path: FilePath(file), cancellation: cancellation)
    } catch {
      var report = ValidationReport(file: file)
      report.error = DocumentError(code: error.code.rawValue, message: error.message, position: nil)
      return report
    }
    return try validate(source, named: file)
  }
}
