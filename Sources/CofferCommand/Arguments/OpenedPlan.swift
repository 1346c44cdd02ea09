import ByteStreams
import Coffer
import Findings
import RulesYAML
import SystemPackage

/// A plan that a command has read, and the files that it is about.
struct OpenedPlan {
  let plan: SplitPlan
  let digest: String
  let validator: Validator
  let ruleWarnings: RuleWarnings?
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
        .planMismatch,
        "the plan has \(plan.files.count.counted("file")), but \(files.count.counted("name was", "names were")) given")
    }
    paths = Dictionary(zip(plan.files.map(\.name), files)) { first, _ in first }
    self.server = server
    self.execution = execution
    var ruleOptions = RuleDocument.Options()
    ruleOptions.syntaxes = [.json, .yaml]
    var options = plan.validationOptions(execution)
    options.addsPlaces = addsPlaces
    options.explainsKeys = true
    let rules = try plan.ruleSource(options: ruleOptions)
    ruleWarnings = plan.rules.flatMap { rules.warnings(of: $0.name) }
    validator = Validator(rules, options: options)
  }

  /// Opens a file of the plan.
  func open(_ name: String) throws(CofferError) -> StoredBytes {
    try .readableAnywhere(paths[name] ?? name, on: server, execution)
  }

  /// The files of the plan, and files to write.
  func use(writing outputs: [String], as subject: String) -> FileUse {
    FileUse(inputs: plan.files.map { paths[$0.name] ?? $0.name }, reports: outputs, subject: subject)
  }
}

extension StoredBytes {
  /// Opens a file of a range server, if its name is a URI and there is a server, or else a regular file.
  static func readableAnywhere(_ path: String, on server: RangeServer?, _ execution: Execution) throws(CofferError) -> StoredBytes
  {
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
