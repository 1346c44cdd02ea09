import ArgumentParser
import Coffer
import Reports
import SystemPackage

struct PackCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Create a ZIP backup from a document and the files that it names.",
    usage: "coffer pack [<options>] <path> ... <backup.zip>",
    discussion: """
      The document names the files that belong to it, with their sizes and digests. Coffer compares the files first, and \
      writes nothing if one is missing or differs. Files that the document doesn't name are packed with a warning.

      Photos are stored without compression, documents are compressed. The same files always give the same archive.

      Examples:
        coffer pack backup backup.zip                 a folder that holds all of it
        coffer pack metadata.json photos backup.zip   the document, and its files
        coffer pack --rules my-app.json backup backup.zip

      Exit status: 0 done; 1 document and files don't match; 2 wrong usage; 3 something can't be read or written, or is not \
      a backup; 4 the output exists, or the disk is full.
      """)

  @Argument(
    .file.named("path"),
    "The folder of the backup, or its document and the folder of its files; then the archive to write (- is standard output).")
  var paths: [String]

  @Option(.rules, "The format: a name (see: coffer formats) or a descriptor's path (default: detected); - is standard input.")
  var rules: String?

  @Flag(help: "Pack without comparing the document with the files.")
  var unchecked = false

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  private var output: String { paths[paths.count - 1] }

  func checkArguments() throws {
    guard (2...3).contains(paths.count) else {
      throw ValidationError("name a folder and the archive, or the document, the folder of its files and the archive")
    }
    try summary.check(output)
    if paths.dropLast().contains("-") { throw ValidationError("a folder can't be read from standard input") }
    if output != "-", FileComparison.isPath(output, within: paths[paths.count - 2]) {
      throw ValidationError("\(output) would be inside the folder to pack")
    }
  }

  var use: FileUse { FileUse(inputs: paths.dropLast(), rules: [rules], ruleArguments: ruleArguments, output: paths.last) }

  func run() throws {
    let configuration = try use.configuration()
    let formats = try configuration.format(rules, for: paths[0]).map { .format($0) } ?? RuleSource.detected(configuration.catalog)
    let contents = try write("packing", to: output) { file, execution in
      var options = Packer.Options(formats, now: clock.instant)
      options.check = unchecked ? .nothing : .files
      options.execution = execution
      memory.apply(to: &options.execution)
      return try pack(by: Packer(options: options), to: &file)
    }
    Run.note(formats: [contents.format])
    printError(contents.findings)
    try summary.write(
      json: NamedReport(contents, named: output),
      text:
        "\(output.printable): \(contents.files.counted("file")), \(contents.bytes.counted("byte")) (\(contents.format.printable))",
      on: output)
  }

  private func pack(by packer: Packer, to file: inout OutputFile) throws -> Packer.Contents {
    paths.count == 2
      ? try packer.pack(folder: FilePath(paths[0]), to: &file)
      : try packer.pack(metadata: FilePath(paths[0]), files: FilePath(paths[1]), to: &file)
  }

  private func printError(_ findings: [Finding]) {
    guard !findings.isEmpty else { return }
    var report = ValidationReport(file: paths[0])
    report.findings = findings
    for finding in findings { report.counts.add(1, finding.rule) }
    report.format = "document and files"
    Output.printNotice(of: report)
  }
}
