import ArgumentParser
import Coffer
import SystemPackage

/// A verb that writes a file made from others.
protocol WritingVerb: Verb {
  var jobsArgument: JobsArgument { get }
  var progressArgument: ProgressArgument { get }
  /// True if an existing output file is replaced.
  var force: Bool { get }
}

extension WritingVerb {
  /// Opens input and output, calls `body` to write the output, and commits it.
  ///
  /// - Parameters:
  ///   - title: what the command does, such as `converting`.
  ///   - input: a path; `-` is standard input.
  ///   - output: a path; `-` is standard output.
  func transfer<R>(
    _ title: String, from input: String, to output: String, _ body: (FileSource, inout OutputFile, Execution) throws -> R
  ) throws -> R {
    try write(title, to: output, opening: { try FileSource(argument: input, cancellation: $0.cancellation) }, body)
  }

  /// Calls `body`, which opens its own inputs, to write the output, and commits it.
  func write<R>(_ title: String, to output: String, _ body: (inout OutputFile, Execution) throws -> R) throws -> R {
    try write(title, to: output, opening: { _ in () }, { try body(&$1, $2) })
  }

  private func write<I, R>(
    _ title: String, to output: String, opening input: (Execution) throws -> I,
    _ body: (I, inout OutputFile, Execution) throws -> R
  ) throws -> R {
    do {
      return try progressArgument.show(title, writing: output) { progress in
        let execution = jobsArgument.execution(progress)
        let input = try input(execution)
        var file = try OutputFile(output, existing: force ? .replace : .keep)
        let result = try body(input, &file, execution)
        try Interruption.stop()
        try file.commit()
        return result
      }
    } catch CofferError.Code.alreadyExists {
      Output.printError("\(output) already exists; --force replaces it")
      throw ExitStatus.refused
    }
  }
}
