import ArgumentParser
import ByteStreams
import Coffer
import SystemPackage

/// One task of a plan.
struct TaskArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Run a task of this plan of coffer split.", valueName: "file"), completion: .file(extensions: ["json"]))
  var plan: String?

  @Option(help: ArgumentHelp("The task's number, from 0.", valueName: "n"))
  var task: Int?

  @Option(help: ArgumentHelp("Write the task's result to this file, which is replaced.", valueName: "file"), completion: .file())
  var partial: String?

  @Option(
    help: ArgumentHelp(
      "Write the operations on keys to this file, which is replaced, for coffer report keys.", valueName: "file"),
    completion: .file())
  var keys: String?

  func validate() throws {
    if plan == nil ? task != nil || partial != nil || keys != nil : task == nil || partial == nil {
      throw ValidationError("--plan, --task and --partial belong together")
    }
    if plan == "-" { throw ValidationError("--plan needs a file") }
  }

  /// All files that are written.
  var outputs: [String] { [partial, keys].compactMap(\.self) }

  /// Runs the task.
  ///
  /// - Parameter files: other names for the files of the plan, or `-` for the bytes of the task's parts. Empty: those of the plan.
  func run(_ files: [String], _ reading: ReadingArguments) throws {
    guard let path = plan, let task, let partial else { return }
    try Output.checkReports(outputs, as: "the partial result", reading: files + [path])
    do {
      try reading.progressArgument.show("validating") { progress in
        let execution = reading.jobsArgument.execution(progress)
        let opened = try OpenedPlan(path, files: files == ["-"] ? [] : files, execution)
        let splitTask = try SplitTask(task, of: opened.plan, digest: opened.digest, opened.validator)
        for output in outputs { try opened.checkOutput(output, as: "the partial result") }
        let input: SplitTask.Input =
          files == ["-"] ? .stream(FileSource.standardInput(cancellation: execution.cancellation)) : .files(opened.open)
        var file = try OutputFile(partial, existing: .replace)
        var keyFile = try keys.map { try OutputFile($0, existing: .replace) }
        try splitTask.run(input, to: &file, keys: &keyFile)
        try keyFile?.commit()
        try file.commit()
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: files + [path])
    }
    try Interruption.stop()
  }
}
