import ArgumentParser
import Coffer
import Reports
import SystemPackage

struct DecompressCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "decompress",
    abstract: "Decompress LZ4, gzip or zstd data, and check that it is complete.",
    usage: "coffer decompress [<options>] <in> [<out>]",
    discussion: """
      The content decides the format; data of any program for it can be read. The input file is kept. If the data is damaged or \
      truncated, no output is written.

      Examples:
        coffer decompress export.json.lz4
        coffer decompress export.json.lz4 /tmp/export.json --force
        coffer decompress export.json.zst - | jq .metadata

      Exit status: 0 done; 2 wrong usage; 3 something can't be read or written, or is corrupt; 4 the output exists, \
      is the input, or the disk is full.
      """)

  @Argument(.file(ending: ["lz4", "gz", "zst"]).named("in"), "The file to decompress; - is standard input.")
  var input: String

  @Argument(.file.named("out"), "The file to write (default: IN without .lz4, .gz or .zst); - is standard output.")
  var output: String?

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  func checkArguments() throws {
    if output == nil, input != "-", !hasEnding {
      throw ValidationError("can't derive the output's name from \(input): name the file to write")
    }
    try summary.check(destination)
  }

  var use: FileUse { FileUse(inputs: [input], output: destination) }

  private var hasEnding: Bool {
    CompressionFormat(ofFileNamed: input) != nil && FilePath(input).stem != nil && FilePath(input).extension != nil
  }

  private var destination: String { output ?? (input == "-" ? "-" : CompressionFormat.plainName(of: input)) }

  func run() throws {
    let output = destination
    var options = Decompressor.Options()
    let sizes = try transfer("decompressing", from: input, to: output) { source, file, execution in
      options.execution = execution
      options.execution.expansion = expansion.limits
      return try Decompressor(options: options).decompress(source, to: &file)
    }
    try summary.write(
      json: NamedReport(sizes, named: output),
      text: "\(output.printable): \(sizes.compressed.grouped) -> \(sizes.content.counted("byte"))", on: output)
  }
}
