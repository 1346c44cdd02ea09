import ArgumentParser
import Coffer
import Reports

struct CompressCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "compress",
    abstract: "Compress any file to LZ4, gzip or zstd, on all processors.",
    usage: "coffer compress [<options>] <in> [<out>]",
    discussion: """
      The output's name decides the format: .lz4, .gz or .zst; other names give LZ4, unless --to is given. Every program for \
      the format can read the result. The input file is kept. When coffer reads the result, it reports missing or damaged \
      data.

      Examples:
        coffer compress export.json
        coffer compress export.json backups/export.json.lz4 --level 9
        coffer compress export.json --to zstd
        my-export | coffer compress - export.json.gz

      Exit status: 0 done; 2 wrong usage; 3 something can't be read or written; 4 the output exists, is the input, \
      or the disk is full.
      """)

  @Argument(.file.named("in"), "The file to compress; - is standard input.")
  var input: String

  @Argument(.file.named("out"), "The file to write (default: IN with .lz4, or the ending of --to); - is standard output.")
  var output: String?

  @Option(help: "The format (default: by the output's name, otherwise lz4).")
  var to: CompressionFormat?

  @OptionGroup var levelArgument: LevelArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  private var format: CompressionFormat { to ?? output.flatMap { CompressionFormat(ofFileNamed: $0) } ?? .lz4 }

  private var destination: String { output ?? (input == "-" ? "-" : "\(input).\(format.ending)") }

  var use: FileUse { FileUse(inputs: [input], output: destination) }

  func checkArguments() throws {
    _ = try levelArgument.compression(format)
    try summary.check(destination)
  }

  func run() throws {
    let output = destination
    var options = Compressor.Options()
    options.compression = try levelArgument.compression(format) ?? .lz4
    let sizes = try transfer("compressing", from: input, to: output) { source, file, execution in
      options.execution = execution
      return try Compressor(options: options).compress(source, to: &file)
    }
    try summary.write(
      json: NamedReport(sizes, named: output),
      text: "\(output.printable): \(sizes.content.grouped) -> \(sizes.compressed.counted("byte"))\(sizes.percentage)", on: output)
  }
}

extension CompressionSizes {
  /// The compressed size relative to the content, such as ` (17.1 %)`; empty for empty content.
  fileprivate var percentage: String {
    if content == 0 { return "" }
    let tenths = Int((ratio * 1000).rounded())
    return " (\(tenths / 10).\(tenths % 10) %)"
  }
}
