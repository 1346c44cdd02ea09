import ArgumentParser
import ByteStreams
import Coffer
import Reports

struct DiffCommand: ComparingVerb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two backups of one format, record by record.",
    discussion: """
      Records are matched by the key that the format names, wherever they are: the order makes no difference. Neither does \
      the spelling of a value: 1.0 equals 1, and members may be in any order. But null differs from a missing member, and \
      numbers are compared exactly, however long. In an array without a key, records are compared as whole values, and only \
      their numbers are reported.

      With --only, only those collections are compared. Otherwise all other members are compared, too: metadata, settings \
      and unknown members.

      Examples:
        coffer diff monday.json friday.json
        coffer diff --summary monday.json.lz4 friday.json
        coffer diff --json --only expenses monday.json friday.json
        coffer diff --report html=changes.html monday.json friday.json
        coffer diff --key /trips=id --key /stays=hotel,night old.json new.json
        coffer diff --rules my-app.json old.json new.json

      Exit status: 0 the same; 1 different; 2 wrong usage, or a key for something that is not an array; 3 one can't be read completely, \
      or the report can't be written; 4 the two have different formats or versions, the report would replace an input, or the disk is full.
      """)

  @Argument(.backup.named("old"), "The older backup: JSON, also in LZ4, gzip or zstd; - is standard input.")
  var old: String

  @Argument(.backup.named("new"), "The newer backup.")
  var new: String

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<PageReportFormat>

  @Flag(help: "Print only the counts.")
  var summary = false

  @Option(.count, "Changes to show per collection and kind; all are counted.")
  var maxChanges = 100

  @OptionGroup var comparisonArguments: ComparisonArguments

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  func checkArguments() throws {
    if !(0...1_000_000).contains(maxChanges) { throw ValidationError("--max-changes must be between 0 and 1000000") }
  }

  var use: FileUse {
    var use = use([old, new])
    use.reports = reportArguments.outputs
    return use
  }

  func run() throws {
    let configuration = try use.configuration()
    let rules = try rules(configuration, for: [old, new])
    let difference = try progressArgument.work("comparing") { progress in
      var options = comparisonOptions(jobsArgument.execution(progress))
      options.maximumChanges = summary ? 0 : maxChanges
      return try Comparer(rules, options: options).difference(from: Backup(argument: old), to: Backup(argument: new))
    }
    Run.note(formats: [difference.format])
    if difference.format == nil, comparisonArguments.keys.isEmpty {
      let keys = difference.collections.filter { !$0.key.isEmpty }.map {
        "\($0.pointer)=\($0.key.joined(separator: ","))".printable
      }
      Output.printNotice(
        "\(old.printable), \(new.printable): unknown format: "
          + (keys.isEmpty
            ? "arrays are compared as whole values (--key names the key of an array's records)"
            : "records are matched by keys that the values of both allow: \(keys.joined(separator: " ")) (--key names others)"))
    }
    try reportArguments.write(
      Reported {
        $0.text(of: difference)
      } others: { format, sink throws(CofferError) in
        switch format {
        case .html: try HTMLReport(toolVersion: Version.text).write(difference, to: &sink)
        default: try JSONReport().write(ConfiguredReport(difference), to: &sink)
        }
      })
    if !difference.isSame { throw ExitStatus.findings }
  }
}
