import ArgumentParser
import Coffer
import CofferContainers
import SystemPackage

struct UnpackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpack",
    abstract: "Take a ZIP backup apart into a new folder.",
    usage: "coffer unpack [<options>] <backup.zip> <folder>",
    discussion: """
      The folder appears whole or not at all, and nothing is written outside of it; what a run that was killed has left \
      beside it, the next removes.

      Refused are archives that are damaged or cut off, whose two directories disagree, or that hold what isn't safe: names \
      that lead out of the folder, symbolic links, two names that some file systems take for one, encrypted entries, entries \
      that come to more than they say or to more than --max-size.

      Examples:
        coffer unpack backup.zip backup
        curl -s https://example.org/backup.zip | coffer unpack - backup

      Exit status: 0 done; 2 wrong usage; 3 the archive can't be read, is damaged or not safe; 4 the folder is there already, \
      or the disk is full.
      """)

  @Argument(help: ArgumentHelp("The archive; - is standard input.", valueName: "backup.zip"))
  var input: String

  @Argument(help: ArgumentHelp("The folder to make.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("How much all files may come to.", valueName: "size"))
  var maxSize = ByteSize(bytes: ZIPLimits().size)

  @Option(help: ArgumentHelp("How many entries there may be.", valueName: "n"))
  var maxEntries = ZIPLimits().entries

  @Option(help: ArgumentHelp("How many times its compressed size an entry may come to.", valueName: "n"))
  var maxRatio = ZIPLimits().ratio

  func validate() throws {
    if maxEntries < 1 || maxRatio < 1 { throw ValidationError("--max-entries and --max-ratio are at least 1") }
  }

  func run() throws {
    var options = Unpacker.Options()
    options.limits.size = maxSize.bytes
    options.limits.entries = maxEntries
    options.limits.ratio = maxRatio
    let cancellation = Interruption.start()
    options.cancellation = cancellation
    let name = TransferArguments.name(of: input)
    do {
      let source =
        input == "-"
        ? FileSource.standardInput(cancellation: cancellation)
        : try FileSource(path: FilePath(input), cancellation: cancellation)
      let contents = try Unpacker(options: options).unpack(source, to: FilePath(folder))
      try Interruption.stop()
      Output.inform("\(folder.printable): \(contents.files.counted("file")), \(contents.bytes.counted("byte"))")
    } catch is CancellationError {
      throw Interruption.status
    } catch let error as ZIPError {
      Output.complain("\(name): \(error) [\(error.code.rawValue)]")
      throw ExitStatus.unreadable
    } catch let error as ByteStreamError {
      Output.complain(error.message)
      throw error.code == .alreadyExists ? ExitStatus.refused : ExitStatus(writing: error)
    }
  }
}
