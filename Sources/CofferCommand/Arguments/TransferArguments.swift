import ArgumentParser
import Coffer
import SystemPackage

/// The options of commands that write a file made from others.
struct TransferArguments: ParsableArguments {
  @OptionGroup var jobsArgument: JobsArgument

  var jobs: Int? { jobsArgument.jobs }

  @Flag(help: "Replace an existing output file.")
  var force = false

  /// Opens input and output, calls `body` to write the output, and commits it. Prints errors, and throws the exit status.
  ///
  /// - Parameters:
  ///   - input: a path; `-` is standard input.
  ///   - output: a path; `-` is standard output.
  func transfer<R>(
    from input: String, to output: String, _ body: (FileSource, inout OutputFile, Cancellation) throws -> R
  ) throws -> R {
    do {
      return try run(to: output, reading: [input]) { cancellation in
        let source = try FileSource(argument: input, cancellation: cancellation)
        return try put(output) { try body(source, &$0, cancellation) }
      }
    } catch let error as JSONReadError {
      let place = error.position
      Output.printError("\(Self.name(of: input)):\(place.line):\(place.column): \(error.message) (byte \(place.offset))")
      throw ExitStatus.unreadable
    } catch let error as ByteStreamError {
      throw reporting(of: error, input)
    } catch let error as ZIPError {
      if let cause = error.cause { throw reporting(of: cause, input) }
      Output.printError("\(Self.name(of: input)): \(error) [\(error.code.rawValue)]")
      throw ExitStatus.unreadable
    }
  }

  /// Prints the error. Errors in the input's content have an offset, but not the input's name.
  private func reporting(of error: ByteStreamError, _ input: String) -> ExitStatus {
    Output.printError(error.offset == nil ? error.message : "\(Self.name(of: input)): \(error.message)")
    return ExitStatus(writing: error)
  }

  /// Calls `body`, which opens its own inputs, to write the output, and commits it. An interruption, a closed pipe and an
  /// existing output end the run; the caller handles all other errors of `body`.
  func write<R>(
    to output: String, reading inputs: [String], _ body: (inout OutputFile, Cancellation) throws -> R
  ) throws -> R {
    try run(to: output, reading: inputs) { cancellation in try put(output) { try body(&$0, cancellation) } }
  }

  static func name(of input: String) -> String { input == "-" ? "standard input" : input }

  private func run<R>(to output: String, reading inputs: [String], _ body: (Cancellation) throws -> R) throws -> R {
    if output != "-", inputs.contains(where: { $0 != "-" && Output.isSameFile($0, output) }) {
      Output.printError("\(output) is an input: choose another output name")
      throw ExitStatus.refused
    }
    do {
      return try body(Interruption.start())
    } catch is CancellationError {
      throw Interruption.status
    } catch let error as ByteStreamError where error.code == .brokenPipe {
      // The reader has closed the pipe: that is not a failure.
      throw ExitStatus.success
    } catch let error as ByteStreamError where error.code == .alreadyExists {
      Output.printError("\(output) already exists; --force replaces it")
      throw ExitStatus.refused
    }
  }

  private func put<R>(_ output: String, _ body: (inout OutputFile) throws -> R) throws -> R {
    var file = try OutputFile(output, existing: force ? .replace : .keep)
    let result = try body(&file)
    try Interruption.stop()
    try file.commit()
    return result
  }
}
