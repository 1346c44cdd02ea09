import ArgumentParser
import Coffer
import Findings
import Reports
import SystemPackage

#if !COFFER_WITHOUT_DATABASES
  import CofferSQLite
#endif

struct RulesCheckCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check rule documents: errors, and rules that are not applied.",
    usage: "coffer rules check [<options>] <file> ...",
    discussion: """
      Validates a rule document with the meta-schema that its $schema names (of Coffer, or of JSON Schema 2020-12, 2019-09, \
      7, 6 and 4), and compiles it. Errors are what makes coffer validate refuse the rules. Warnings name what it doesn't apply: \
      keywords and formats that the $schema doesn't have, and the like.

      Text shows the first 10 findings of a file, other reports 1,000: see --max-findings.

      Examples:
        coffer rules check rules.json
        coffer rules check ev-charging-tracker
        coffer rules check rules/*.json --json
        coffer rules check rules.json --map http://example.org/=schemas
        coffer rules check schema.json --strict --report sarif=rules.sarif

      Exit status: 0 valid; 1 findings that --fail-on names; 2 a document has errors; 3 one can't be read or is not JSON, or the \
      report can't be written; 4 the report would replace an input, or the disk is full.
      """)

  @Argument(.rules.named("file"), "The rule documents, or names of formats (see: coffer formats); - is standard input.")
  var files: [String]

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @Option(.count, "Findings to show per file, some of every rule; all are counted.")
  var maxFindings: Int?

  @OptionGroup(title: HelpSection.verdict) var failureArguments: FailureArguments

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  func checkArguments() throws {
    if files.isEmpty { throw ValidationError("name at least one rule document, or - for standard input") }
    if let maxFindings, maxFindings < 0 { throw ValidationError("--max-findings must not be negative") }
    try ruleArguments.checkReferences(of: files, against: reportArguments.allOutputs)
  }

  var use: FileUse { FileUse(inputs: files, ruleArguments: ruleArguments, reports: reportArguments.allOutputs) }

  func run() throws {
    let configuration = try use.configuration()
    var checks = files.map { check(configuration.document(ofRules: $0), configuration) }
    let policy = failureArguments.policy
    for index in checks.indices { checks[index].report.policy = policy }
    let results = ValidationResults(checks.map(\.report))
    failureArguments.checkCodes(of: results.reports)
    let renderer = reportArguments.renderer(of: extentArguments.extent)
    try reportArguments.write(results, by: renderer, json: FileReports(results.reports)) { [maxFindings] renderer in
      renderer.text(of: checks, findings: maxFindings ?? 10)
    }
    Hint.print(for: checks.map(\.report))
    if let status = checks.map(status(of:)).max(), status != .success { throw status }
  }

  private func check(_ file: String, _ configuration: Configuration) -> RuleCheck {
    let options = configuration.options(ofRulesAt: file)
    let limit = maxFindings ?? 1000
    func check(_ source: some ByteSource, named name: String, _ syntax: RuleSyntax = .json) -> RuleCheck {
      RuleCheck(source, named: name, syntax: syntax, options: options, maximumFindings: limit).checkingSQL
    }
    if let format = configuration.catalog[file] { return check(MemorySource(format.descriptor.utf8), named: file) }
    do throws(CofferError) {
      let source = try FileSource(argument: file, cancellation: nil)
      return check(source, named: FileSource.name(ofArgument: file), options.syntax(of: FilePath(file)))
    } catch {
      return RuleCheck(unreadable: file, error)
    }
  }

  private func status(of check: RuleCheck) -> ExitStatus {
    if check.report.error != nil { return .unreadable }
    return !check.isUsable ? .usage : check.report.isValid ? .success : .findings
  }
}

extension TextReport {
  /// Returns the checks with the first findings of each, and what options would show or check more.
  fileprivate func text(of checks: [RuleCheck], findings limit: Int) -> String {
    var renderer = self
    renderer.showsMeasures = false
    let shown = checks.filter { extent != .failures || !$0.isUsable || !$0.report.isValid }
    var text = shown.map { renderer.text(of: $0.report.showing(limit)) }.joined(separator: "\n")
    let codes = Set(shown.flatMap { $0.report.counts.byRule.keys.map(\.code) })
    for (code, hint) in Self.hints where codes.contains(code) { text += hint + "\n" }
    return text
  }

  /// The options that apply more, by the code of what is not applied.
  private static let hints = [("unasserted-format", "--assert-formats checks the formats that are not checked now")]
}

extension ValidationReport {
  /// Returns the report with at most `limit` findings, some of every code.
  fileprivate func showing(_ limit: Int) -> ValidationReport {
    var report = self
    report.findings = findings.fairChoice(of: limit, by: \.rule.kind)
    return report
  }
}

extension RuleCheck {
  /// The check with the errors in the format's checks in SQL.
  fileprivate var checkingSQL: RuleCheck {
    guard let format, !format.checks.isEmpty else { return self }
    #if COFFER_WITHOUT_DATABASES
      return adding([Finding(notRun: format.checks, because: "this build has no databases")].compactMap(\.self))
    #else
      do {
        return adding(try SQLChecks(format, options: ValidationOptions(now: .now)).errors().map { Self.finding($0, .error) })
      } catch {
        return adding([Finding(notRun: format.checks, because: "\(error)")].compactMap(\.self))
      }
    #endif
  }
}
