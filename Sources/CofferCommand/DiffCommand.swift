import ArgumentParser
import Coffer
import Reports

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two backups of one format, record by record.",
    discussion: """
      Records are found by the key that the format names, wherever they stand: order is no difference. Nor is how a value is \
      written: 1.0 is 1, and members may stand in any order; but null is not the same as a missing member, and numbers are \
      compared digit by digit, however long. In an array without a key, records are compared as whole values, of which only \
      the number counts.

      With --only, nothing but those collections is compared; else also what stands around them: metadata, settings, members \
      that no rule knows.

      Examples:
        coffer diff monday.json friday.json
        coffer diff --summary monday.json.lz4 friday.json
        coffer diff --json --only expenses monday.json friday.json
        coffer diff --key /trips=id --key /stays=hotel,night old.json new.json
        coffer diff --rules my-app.json old.json new.json

      Exit status: 0 the same; 1 different; 2 wrong usage, a key of what is no array, or backups of different formats or \
      versions; 3 one can't be read to its end, or the report can't be written; 4 the report would replace what is to be \
      read, or finds the disk full.
      """)

  @Argument(help: ArgumentHelp("The older backup, as it is or compressed by LZ4; - is standard input.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The newer one.", valueName: "new"))
  var new: String

  @OptionGroup var reportArguments: ReportArguments

  @Flag(help: "Only the counts.")
  var summary = false

  @Option(help: ArgumentHelp("How many changes of each kind to show of each collection; all are counted.", valueName: "n"))
  var maxChanges = 100

  @OptionGroup var comparisonArguments: ComparisonArguments

  @OptionGroup var jobsArgument: JobsArgument

  func validate() throws {
    if !(0...1_000_000).contains(maxChanges) { throw ValidationError("--max-changes is between 0 and 1000000") }
    try comparisonArguments.check([old, new], output: reportArguments.output)
  }

  func run() throws {
    try reportArguments.checkOutput(reading: [old, new])
    let rules = try comparisonArguments.validationRules()
    var options = comparisonArguments.options(jobs: jobsArgument.jobs, cancellation: Interruption.start())
    options.maximumChanges = summary ? 0 : maxChanges
    let difference: BackupDifference
    do {
      let comparer = Comparer(rules, options: options)
      difference = try comparer.difference(from: Backup(argument: old), to: Backup(argument: new))
    } catch {
      throw ExitStatus.comparison(failed: error, refusal: .usage)
    }
    try Interruption.stop()
    if difference.format == nil, comparisonArguments.keys.isEmpty {
      Output.inform(
        "\(old.printable), \(new.printable): their format is unknown, so that arrays are compared as wholes (--key says what tells records apart)"
      )
    }
    try reportArguments.write(json: JSONReport().text(of: difference)) { $0.text(of: difference) }
    if !difference.isSame { throw ExitStatus.findings }
  }
}
