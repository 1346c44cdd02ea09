public import ArgumentParser
public import Coffer
import Findings
import Reports
import RulesYAML
import SystemPackage

struct RulesDraftCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "draft",
    abstract: "Draft rules that given backups satisfy, as a start for rules of your own.",
    usage: "coffer rules draft [<options>] <file> ...",
    discussion: """
      Reads the backups, and concludes types, required members, enums, formats, keys, references between collections, \
      counts, sums, orders, and members that depend on a kind. A second reading proves the rules between values. The \
      evidence for each rule is in its $comment; in YAML, it is a comment. --explain shows which rules are missing, and why.

      Give as many backups as you have: what holds by chance in one fails in another.

      Examples:
        coffer rules draft export.json
        coffer rules draft backups/*.json --name my-app --output my-app.json
        coffer rules draft export.json --strictness tight --bounds
        coffer rules draft export.json --explain > /dev/null
        coffer rules draft --update my-app.json new.json --output wider.json

      --update widens existing rules instead, so that they admit the backups, and shows each change on standard error.

      Exit status: 0 done; 1 --update can't widen the rules enough; 2 wrong usage, or rules that can't be read or have errors; 3 a \
      backup can't be read completely, or the result can't be written; 4 the output exists or is an input, or the disk is full.
      """)

  @Argument(.backup, "The backups: JSON, also compressed, or ZIP; - is standard input.")
  var files: [String]

  @Option(
    .file(ending: RuleSyntax.json.endings + RuleSyntax.yaml.endings),
    "Write the rules to this file instead of standard output; as YAML if its name ends in .yaml or .yml.")
  var output: String?

  @Option(help: "How much evidence a rule needs: loose for strong evidence only, tight for any (default: normal).")
  var strictness: DraftStrictness?

  @Flag(help: "Add the bounds of numbers and dates.")
  var bounds = false

  @Option(
    .name,
    """
    The name of the format that the rules describe (default: that of the output, or of a ZIP archive). Ignored if a \
    backup's root is not an object.
    """)
  var name: String?

  @Flag(help: "Show on standard error which rules are missing, and why.")
  var explain = false

  @Option(.rules.named("rules"), "Widen these rules to admit the backups, and show what changed.")
  var update: String?

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  func checkArguments() throws {
    if files.isEmpty { throw ValidationError("name at least one backup, or - for standard input") }
    if name?.isEmpty == true { throw ValidationError("the name of a format can't be empty") }
    if update != nil, name != nil || strictness != nil || bounds || explain {
      throw ValidationError("--update widens existing rules: leave out --name, --strictness, --bounds and --explain")
    }
    if update == nil,
      let option = Run.current.option(among: ["--now", "--assert-formats", "--no-assert-formats", "--map", "--refs"])
    {
      throw ValidationError("\(option) requires --update: drafting reads no rules")
    }
    if let output, CompressionFormat(ofFileNamed: output) != nil {
      throw ValidationError("rules are written uncompressed: choose an output that ends in .json, .yaml or .yml")
    }
    try summary.check(output ?? "-")
  }

  /// The result may replace the rules.
  var use: FileUse {
    FileUse(inputs: files, rules: [update], ruleArguments: ruleArguments, updatesRules: true, output: output ?? "-")
  }

  func run() throws {
    if let update { return try self.update(update) }
    let output = output ?? "-"
    let draft = try write("drafting rules", to: output) { file, execution in
      let draft = try RuleDrafter(options: options(execution)).draft(files.map { FilePath($0) })
      try file.write(Self.isYAML(output) ? draft.yaml : draft.json)
      return draft
    }
    if explain {
      let lines = draft.notes.map { "\($0.pointer.isEmpty ? "the root" : $0.pointer.printable): \($0.reason.printable)" }
      Output.printNotice(lines.joined(separator: "\n"), terminator: lines.isEmpty ? "" : "\n")
    }
    let counts = [draft.keyCount.counted("key"), draft.referenceCount.counted("reference")]
    try summary.write(
      json: [
        "file": output, "documents": draft.documents, "bytes": draft.bytes, "keys": draft.keyCount,
        "references": draft.referenceCount,
        "notConcluded": draft.notes.map { ["place": $0.pointer, "reason": $0.reason] as ReportMembers },
      ] as ReportMembers,
      text: "\(output.printable): drafted from \(draft.documents.counted("document")), \(counts.joined(separator: " and "))",
      on: output)
  }

  /// Widens rules.
  private func update(_ rules: String) throws {
    let output = output ?? "-"
    let configuration = try use.configuration()
    let rules = configuration.document(ofRules: rules)
    let text = try configuration.read(rules).text ?? configuration.catalog[rules].map { Array($0.descriptor.utf8) } ?? []
    let update = try write("widening rules", to: output) { file, execution in
      let update = try RuleDrafter(options: options(execution)).widen(
        text, configuration.syntax(ofRulesAt: rules), named: FileSource.name(ofArgument: rules),
        configuration.options(ofRulesAt: rules), toAdmit: files.map { FilePath($0) }, now: clock.instant)
      try checkUsable(update, at: output, updating: rules, configuration)
      try file.write(Self.isYAML(output) ? update.yaml : update.json)
      return update
    }
    if !update.changes.isEmpty, !summary.quiet {
      Output.printNotice(update.changes.map(\.description.printable).joined(separator: "\n"))
    }
    let left = update.findingsLeft
    if !summary.isJSON {
      for remaining in update.firstFindingsLeft { Output.printNotice(Self.line(on: remaining)) }
    }
    try summary.write(
      json: [
        "file": output,
        "changes": update.changes.map { ["place": $0.location, "before": $0.before, "after": $0.after] as ReportMembers },
        "findingsLeft": left,
        "firstFindingsLeft": update.firstFindingsLeft.map { ["file": $0.file, "finding": $0.finding] as ReportMembers },
      ] as ReportMembers,
      text: "\(output.printable): \(update.changes.count.counted("change"))", on: output)
    if left > 0 {
      Output.printError("the rules can't be widened enough: \(left.counted("finding")) left")
      throw ExitStatus.findings
    }
  }

  /// References to other files start in the folder of the rules: the result may be in another one.
  private func checkUsable(
    _ update: RuleUpdate, at output: String, updating rules: String, _ configuration: Configuration
  ) throws(CofferError) {
    if output == "-" { return }
    func warnings(at path: String) throws(CofferError) -> [Finding] {
      try RuleDocument(MemorySource(update.json.utf8), options: configuration.options(ofRulesAt: path)).warnings
    }
    do throws(CofferError) {
      let known = Set(try warnings(at: rules).map(\.schemaLocation))
      let lost = try warnings(at: output).first {
        $0.code == CofferError.Code.unresolvedReference.rawValue && !known.contains($0.schemaLocation)
      }
      if let lost { throw CofferError(.invalidRules, lost.message) }
    } catch {
      throw CofferError(error.code, "the updated rules don't work at this path: \(error.message)", at: .init(document: output))
    }
  }

  /// `b.json:1:9: must not match at /cars/0, by /properties/cars/items/not`
  private static func line(on remaining: RuleUpdate.RemainingFinding) -> String {
    let (finding, place) = (remaining.finding, remaining.finding.place)
    let pointer = place.pointer.isEmpty ? "the root" : place.pointer
    let schema = finding.schemaLocation.isEmpty ? "the whole schema" : finding.schemaLocation
    let text = "\(remaining.file):\(place.line):\(place.column): \(finding.message) at \(pointer), by \(schema)"
    return text.printable
  }

  private func options(_ execution: Execution) -> DraftingOptions {
    var options = DraftingOptions()
    options.strictness = strictness ?? .normal
    options.addsBounds = bounds
    options.name = name ?? output.flatMap { $0 == "-" ? nil : FilePath($0).stem }
    options.syntax = inputFormatArgument.inputFormat
    options.limits = readerLimits.limits
    options.execution = execution
    options.execution.expansion = expansion.limits
    memory.apply(to: &options.execution)
    return options
  }

  private static func isYAML(_ path: String) -> Bool {
    FilePath(path).extension.map { RuleSyntax.yaml.endings.contains($0.lowercased()) } ?? false
  }
}

extension DraftStrictness: ExpressibleByArgument {}
