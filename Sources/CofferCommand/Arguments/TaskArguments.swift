import ArgumentParser
import ByteStreams
import Coffer
import SystemPackage

/// One task of a plan.
struct TaskArguments: ParsableArguments {
  @Option(.file(ending: ["json"]), "Run a task of this plan of coffer split.")
  var plan: String?

  @Option(.count, "The task's number, from 0.")
  var task: Int?

  @Option(.file, "Write the task's result to this file, which is replaced.")
  var partial: String?

  @Option(.file, "Write the operations on keys to this file, which is replaced, for coffer report keys.")
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
  func run(_ files: [String], _ jobsArgument: JobsArgument, _ progressArgument: ProgressArgument) throws {
    guard let path = plan, let task, let partial else { return }
    try progressArgument.work("validating") { progress in
      let execution = jobsArgument.execution(progress)
      let opened = try OpenedPlan(path, files: files == ["-"] ? [] : files, execution)
      let splitTask = try SplitTask(task, of: opened.plan, digest: opened.digest, opened.validator)
      try opened.use(writing: outputs, as: "the partial result").checkOutputs()
      let input: SplitTask.Input =
        files == ["-"] ? .stream(FileSource.standardInput(cancellation: execution.cancellation)) : .files(opened.open)
      var file = try OutputFile(partial, existing: .replace)
      var keyFile = try keys.map { try OutputFile($0, existing: .replace) }
      try splitTask.run(input, to: &file, keys: &keyFile)
      try keyFile?.commit()
      try file.commit()
    }
  }
}
