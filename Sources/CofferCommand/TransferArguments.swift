import ArgumentParser
import Coffer
import SystemPackage

/// How one file is made of another: the same for every command that does.
struct TransferArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("How many threads work; all processors unless told. The output never depends on it.", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Replace the output if it is already there.")
  var force = false

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is between 1 and 256") }
  }

  /// Opens input and output, has `body` make one of the other, and puts the output in its place; what goes wrong is said, and ends the run.
  ///
  /// - Parameters:
  ///   - input: a path; `-` is standard input.
  ///   - output: a path; `-` is standard output.
  ///   - replaces: whether it may replace what is there already, without being told.
  func transfer<R>(
    from input: String, to output: String, replaces: Bool = false,
    _ body: (FileSource, inout OutputFile, Cancellation) throws -> R
  ) throws -> R {
    if input != "-", output != "-", Output.isSameFile(input, output) {
      Output.complain("\(output) is to be read: give what is written another name")
      throw ExitStatus.refused
    }
    let cancellation = Interruption.start()
    do {
      let source =
        input == "-"
        ? FileSource.standardInput(cancellation: cancellation)
        : try FileSource(path: FilePath(input), cancellation: cancellation)
      var file = try OutputFile(output, existing: force || replaces ? .replace : .keep)
      let result = try body(source, &file, cancellation)
      try Interruption.stop()
      try file.commit()
      return result
    } catch is CancellationError {
      throw Interruption.status
    } catch let error as ByteStreamError {
      throw status(of: error, input, output)
    } catch let error as JSONReadError {
      let place = error.position
      Output.complain("\(Self.name(of: input)):\(place.line):\(place.column): \(error.message) (byte \(place.offset))")
      throw ExitStatus.unreadable
    }
  }

  static func name(of input: String) -> String { input == "-" ? "standard input" : input }

  private func status(of error: ByteStreamError, _ input: String, _ output: String) -> ExitStatus {
    switch error.code {
    // Whoever read it has seen enough.
    case .brokenPipe: return .sound
    case .alreadyExists:
      Output.complain("\(output) is already there; --force replaces it")
      return .refused
    default:
      // What is wrong with the input's content is said by those who don't know its name.
      Output.complain(error.offset == nil ? error.message : "\(Self.name(of: input)): \(error.message)")
      return ExitStatus(writing: error)
    }
  }
}
