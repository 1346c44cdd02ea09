import ArgumentParser
import Coffer
import SystemPackage

struct DecompressCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decompress",
    abstract: "Decompress LZ4 data, and check that it is complete.",
    usage: "coffer decompress [<options>] <in> [<out>]",
    discussion: """
      Reads the output of any LZ4 program. The input file is kept. If the data is damaged or truncated, no output is \
      written.

      Examples:
        coffer decompress export.json.lz4
        coffer decompress export.json.lz4 /tmp/export.json --force
        coffer decompress export.json.lz4 - | jq .metadata

      Exit status: 0 done; 2 wrong usage; 3 something can't be read or written, or is corrupt; 4 the output exists, \
      is the input, or the disk is full.
      """)

  @Argument(
    help: ArgumentHelp("The file to decompress; - is standard input.", valueName: "in"), completion: .file(extensions: ["lz4"]))
  var input: String

  @Argument(
    help: ArgumentHelp("The file to write (default: IN without .lz4); - is standard output.", valueName: "out"),
    completion: .file())
  var output: String?

  @OptionGroup var arguments: TransferArguments

  func validate() throws {
    if output == nil, input != "-", !hasEnding {
      throw ValidationError("can't derive the output's name from \(input): name the file to write")
    }
  }

  private var hasEnding: Bool { LZ4Source.isNamed(by: input) && FilePath(input).stem != nil && FilePath(input).extension != nil }

  func run() throws {
    let output = output ?? (input == "-" ? "-" : String(input.dropLast(4)))
    var options = Decompressor.Options()
    let sizes = try arguments.transfer("decompressing", from: input, to: output) { source, file, execution in
      options.execution = execution
      return try Decompressor(options: options).decompress(source, to: &file)
    }
    if output != "-" {
      Output.printNotice("\(output.printable): \(sizes.compressed.grouped) -> \(sizes.content.counted("byte"))")
    }
  }
}
