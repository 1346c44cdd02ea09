import ArgumentParser
import Coffer
import Reports
import SystemPackage

struct UnpackCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "unpack",
    abstract: "Extract a ZIP backup into a new folder.",
    usage: "coffer unpack [<options>] <backup.zip> <folder>",
    discussion: """
      The folder appears complete or not at all, and nothing is written outside of it. The next run removes what a killed \
      run left next to it.

      Coffer refuses archives that are damaged or truncated, whose two directories disagree, or that are unsafe: names that \
      lead out of the folder, symbolic links, two names that are the same on some file systems, encrypted entries, and \
      entries that are larger than declared or than --max-size.

      Examples:
        coffer unpack backup.zip backup
        curl -s https://example.org/backup.zip | coffer unpack - backup

      Exit status: 0 done; 2 wrong usage; 3 the archive can't be read, is damaged or not safe; 4 the folder exists, \
      or the disk is full.
      """)

  @Argument(.file(ending: ["zip"]).named("backup.zip"), "The archive; - is standard input.")
  var input: String

  @Argument(.folder, "The folder to create.")
  var folder: String

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @Option(.count, "Maximum number of entries.")
  var maxEntries = ZIPLimits().entries

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  func checkArguments() throws {
    if maxEntries < 1 { throw ValidationError("--max-entries must be at least 1") }
  }

  var use: FileUse { FileUse(inputs: [input]) }

  func run() throws {
    var options = Unpacker.Options()
    options.limits = ZIPLimits(expansion.limits)
    options.limits.entries = maxEntries
    let contents = try progressArgument.work("unpacking") { progress in
      options.execution = Execution(progress)
      let source = try FileSource(argument: input, cancellation: options.execution.cancellation)
      return try Unpacker(options: options).unpack(source, to: FilePath(folder))
    }
    try summary.write(
      json: NamedReport(contents, named: folder),
      text: "\(folder.printable): \(contents.files.counted("file")), \(contents.bytes.counted("byte"))", on: folder)
  }
}
