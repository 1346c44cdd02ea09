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
  ///   - hints: what to add to the errors with these codes.
  func transfer<R>(
    from input: String, to output: String, hints: [CofferError.Code: String] = [:],
    _ body: (FileSource, inout OutputFile, Cancellation) throws -> R
  ) throws -> R {
    do {
      return try run(to: output, reading: [input]) { cancellation in
        let source = try FileSource(argument: input, cancellation: cancellation)
        return try put(output) { try body(source, &$0, cancellation) }
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: [Self.name(of: input)], hints: hints)
    }
  }

  /// Calls `body`, which opens its own inputs, to write the output, and commits it. An existing output ends the
  /// run; the caller handles all other errors of `body`.
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
