import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Foundation
import JSONEvents
import Reports

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Render a stored report, or join the results of tasks.",
    discussion: """
      A report's name is enough: coffer report is short for coffer report render.

      Examples:
        coffer report report.json --output-format html
        coffer report merge --plan plan.json *.partial
      """,
    subcommands: [RenderCommand.self, MergeReportsCommand.self, ReportKeysCommand.self], defaultSubcommand: RenderCommand.self)
}

struct RenderCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a stored JSON report in another format.",
    usage: "coffer report [render] [<options>] <report>",
    discussion: """
      The report is one that coffer validate --json or coffer verify --json wrote. The backups are not read again, so a run \
      over many gigabytes needn't be repeated for another format.

      The rules of the reports' formats are listed, too, as in a run of coffer validate. Name rules of your own with --rules.

      Examples:
        coffer validate --json --output report.json export.json
        coffer report report.json --output-format markdown
        coffer report report.json --report sarif=a.sarif --report html=a.html

      Exit status: 0 the backups are valid; 1 one has findings of severity error (see --fail-on), or an unknown \
      format; 2 wrong usage or rules; 3 the report can't be read or written, or a backup could not be read; 4 the new report \
      would replace the stored one, or the disk is full; 5 no verdict, because the rules asked for more than a limit allows.
      """)

  @Argument(.file(ending: ["json"]).named("report"), "The JSON report; - is standard input.")
  var file: String

  @Option(.rules, "The rules of the run, if they are your own: a rule document's path.")
  var rules: String?

  @OptionGroup(title: HelpSection.verdict) var failureArguments: FailureArguments

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  var use: FileUse {
    FileUse(inputs: [file], rules: [rules], ruleArguments: ruleArguments, reports: reportArguments.allOutputs)
  }

  /// The largest report that is read: about a million findings.
  private static let sizeLimit = 1 << 30

  func run() throws {
    let configuration = try use.configuration()
    let own = try rules.map(configuration.rules(named:))
    var source = try FileSource(argument: file, cancellation: Interruption.start())
    let bytes = try source.readPrefix(Self.sizeLimit + 1)
    if bytes.count > Self.sizeLimit { throw CofferError(.sizeLimit, "the report is larger than the limit of 1 GiB") }
    let stored = try Self.storedReport(in: bytes)
    var reports = stored.files
    for index in reports.indices {
      reports[index].checkedRules = try checkedRules(of: reports[index], own, configuration.catalog)
    }
    try Interruption.stop()
    Run.note(formats: reports.map(\.format))
    var results = ValidationResults(reports)
    // By default, keep the stored verdict.
    if failureArguments.isGiven { results.policy = failureArguments.policy }
    results.isRedacted = stored.isRedacted
    results.ruleWarnings = stored.ruleWarnings
    // Reading rules that are named has printed it.
    if own == nil { Output.printNotice(of: stored.ruleWarnings) }
    var renderer = reportArguments.renderer(of: extentArguments.extent)
    // The run is over: no option would show more.
    renderer.hints = [:]
    try reportArguments.write(results, by: renderer)
    let status = ExitStatus(results)
    if status != .success { throw status }
  }

  private static func storedReport(in bytes: [UInt8]) throws -> StoredReport {
    // The decoder's own errors for malformed JSON have no place.
    var reader = JSONEventReader(MemorySource(bytes))
    while try reader.next() {}
    do {
      let report = try JSONDecoder().decode(StoredReport.self, from: Data(bytes))
      try checkTotals(of: report.files)
      return report
    } catch let error as DecodingError {
      throw CofferError(.decoding, "not a JSON report of coffer validate or verify: \(error.reason)", underlying: error)
    }
  }

  /// Checks that all files together have counts that can be added.
  private static func checkTotals(of reports: [ValidationReport]) throws {
    for count in [\ValidationReport.bytes, \.records, \.counts.total, \.acceptedCounts.total] {
      var total = 0
      for report in reports {
        let (sum, isOver) = total.addingReportingOverflow(report[keyPath: count])
        if isOver { throw CofferError(.decoding, "not a JSON report of coffer validate or verify: its counts are out of range") }
        total = sum
      }
    }
  }

  private func checkedRules(
    of report: ValidationReport, _ own: RuleSource?, _ catalog: FormatCatalog
  ) throws -> [CheckedRule] {
    switch own {
    case .format(let format): return try format.program().checkedRules
    case .document(let document, _): return try document.compiled().checkedRules
    case .detected, nil: return try report.format.flatMap { catalog[$0] }?.program().checkedRules ?? []
    }
  }
}

extension DecodingError {
  /// The fault, which begins with its place.
  fileprivate var reason: String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the root" : path.map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue.pointerToken) }.joined()
    }
    switch self {
    case .keyNotFound(let key, let context): return "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return "\(place(context.codingPath)) must be \(Self.words(for: type))"
    case .dataCorrupted(let context):
      if let fault = context.underlyingError as? InvalidReport { return "\(place(context.codingPath)): \(fault.message)" }
      // The decoder doesn't name the place of such a number.
      if context.codingPath.isEmpty { return "a number is too large or not whole, or values are nested too deeply" }
      return "\(place(context.codingPath)) has an unknown value"
    @unknown default: return "\(self)"
    }
  }

  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is Int.Type: "a whole number"
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is [Any].Type: "an array"
    default: "an object"
    }
  }
}

/// The stored document: its version is checked before the rest, which another version may spell differently.
private struct StoredReport: Decodable {
  let files: [ValidationReport]
  /// True if the documents' values were left out.
  let isRedacted: Bool
  let ruleWarnings: RuleWarnings?

  private enum CodingKeys: CodingKey { case formatVersion, redacted, rules }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let version = try members.decodeIfPresent(Int.self, forKey: .formatVersion) ?? 1
    guard version == 1 else {
      throw CofferError(.newerVersion, "the report has format version \(version), which this version of coffer doesn't know")
    }
    isRedacted = try members.decodeIfPresent(Bool.self, forKey: .redacted) ?? false
    files = try FileReports<ValidationReport>(from: decoder).files
    ruleWarnings = try members.decodeIfPresent(RuleWarnings.self, forKey: .rules)
  }
}
