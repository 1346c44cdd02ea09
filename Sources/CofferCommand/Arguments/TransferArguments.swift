import ArgumentParser
import Coffer
import SystemPackage

/// The options of commands that write a file made from others.
struct TransferArguments: ParsableArguments {
  @OptionGroup var jobsArgument: JobsArgument

  @OptionGroup var progressArgument: ProgressArgument

  @OptionGroup var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  /// Opens input and output, calls `body` to write the output, and commits it. Prints errors, and throws the exit status.
  ///
  /// - Parameters:
  ///   - deed: what the command does, such as `converting`.
  ///   - input: a path; `-` is standard input.
  ///   - output: a path; `-` is standard output.
  ///   - hints: what to add to the errors with these codes.
  func transfer<R>(
    _ deed: String, from input: String, to output: String, hints: [CofferError.Code: String] = [:],
    _ body: (FileSource, inout OutputFile, Execution) throws -> R
  ) throws -> R {
    do {
      return try run(deed, to: output, reading: [input]) { execution in
        let source = try FileSource(argument: input, cancellation: execution.cancellation)
        return try put(output) { try body(source, &$0, execution) }
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: [FileSource.name(ofArgument: input)], hints: hints)
    }
  }

  /// Calls `body`, which opens its own inputs, to write the output, and commits it. An existing output ends the
  /// run; the caller handles all other errors of `body`.
  func write<R>(
    _ deed: String, to output: String, reading inputs: [String], _ body: (inout OutputFile, Execution) throws -> R
  ) throws -> R {
    try run(deed, to: output, reading: inputs) { execution in try put(output) { try body(&$0, execution) } }
  }

  /// Calls `body` with the threads, the cancellation and the progress.
  private func run<R>(
    _ deed: String, to output: String, reading inputs: [String], _ body: (Execution) throws -> R
  ) throws -> R {
    if output != "-", inputs.contains(where: { $0 != "-" && Output.isSameFile($0, output) }) {
      Output.printError("\(output) is an input: choose another output name")
      throw ExitStatus.refused
    }
    do {
      return try progressArgument.show(deed, writing: output) { progress in
        try body(jobsArgument.execution(progress))
      }
    } catch let error as CofferError where error.code == .alreadyExists {
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
