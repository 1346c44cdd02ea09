import ArgumentParser
import ByteStreams
import Coffer
import RulesYAML
import SystemPackage

/// One task of a plan.
struct TaskArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Do a task of this plan of coffer split.", valueName: "file"), completion: .file(extensions: ["json"]))
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

  /// Does the task.
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

/// A plan that a command has read, and the files that it is about.
struct OpenedPlan {
  let plan: SplitPlan
  let digest: String
  let validator: Validator
  /// The paths of the plan's files.
  private let paths: [String: String]
  private let server: RangeServer?
  private let execution: Execution

  /// - Parameters:
  ///   - files: other paths of the plan's files, in their order, or none.
  ///   - server: reads files whose names are URIs.
  init(
    _ path: String, files: [String], on server: RangeServer? = nil, addingPlaces addsPlaces: Bool = false, _ execution: Execution
  ) throws {
    let source = try FileSource(argument: path, cancellation: execution.cancellation)
    (plan, digest) = try SplitPlan.read(source, tool: Version.text)
    if !files.isEmpty, files.count != plan.files.count {
      throw CofferError(
        .planMismatch, "the plan has \(plan.files.count.counted("file")), and \(files.count.counted("name", "names")) are given")
    }
    paths = Dictionary(zip(plan.files.map(\.name), files)) { first, _ in first }
    self.server = server
    self.execution = execution
    var ruleOptions = RuleDocument.Options()
    ruleOptions.syntaxes = [.json, .yaml]
    var options = plan.validationOptions(execution)
    options.addsPlaces = addsPlaces
    validator = Validator(try plan.ruleSource(options: ruleOptions), options: options)
  }

  /// Opens a file of the plan.
  func open(_ name: String) throws(CofferError) -> StoredBytes {
    try .readableAnywhere(paths[name] ?? name, on: server, execution)
  }

  /// Throws if an output would replace a file of the plan.
  func checkOutput(_ path: String, as subject: String) throws(ExitStatus) {
    try Output.checkReports([path], as: subject, reading: plan.files.map { paths[$0.name] ?? $0.name })
  }
}

extension StoredBytes {
  /// Opens a file of a range server, if its name is a URI and there is a server, or else a regular file.
  static func readableAnywhere(
    _ path: String, on server: RangeServer?, _ execution: Execution
  ) throws(CofferError) -> StoredBytes {
    guard let server, RangeServer.serves(path) else { return try regularFile(path, execution) }
    return try StoredBytes(path, of: server, execution)
  }

  /// Opens a regular file, which can be read in parts.
  static func regularFile(_ path: String, _ execution: Execution) throws(CofferError) -> StoredBytes {
    let file = try FileSource(path: FilePath(path), cancellation: execution.cancellation)
    guard let stored = StoredBytes(file, progress: execution.progress) else {
      throw CofferError(.alreadyRead, "\(path) is not a regular file: it can be read only once")
    }
    return stored
  }
}
