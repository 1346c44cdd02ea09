import ArgumentParser
import ByteStreams
import Coffer
import Platform
import SystemPackage

/// The files of a run, by what it does with them.
///
/// A verb declares them once. What follows from it: which files an output must not replace, that standard input is read only once, what
/// the log must not be written to and which files it names, and which file an error is about that names none.
///
///     coffer validate a.json --rules r.json --report html=a.html      inputs: a.json, rules: r.json, reports: a.html
struct FileUse {
  /// The files and folders that the run is about; `-` is standard input. An error that names no file is about the first one.
  var inputs: [String]
  /// Other files that are read.
  var others: [String] = []
  /// Names of formats, and paths of rule documents.
  var rules: [String?] = []
  /// The options for reading them.
  var ruleArguments: RuleArguments?
  /// True if the output may be one of the rule documents.
  var updatesRules = false
  /// The document to write; `-` is standard output.
  var output: String?
  /// Files to write that are replaced if they exist.
  var reports: [String] = []
  /// What these are, for errors.
  var subject = "the report"
  /// The baseline, if the run reads and then replaces it.
  var updated: String?
  /// Folders whose files the run may read or write.
  var folders: [String] = []

  /// Throws if a name is empty, standard input would be read twice, two reports would be one file, or an output would replace rules to
  /// read.
  func validate() throws {
    if (inputs + reports + rules.compactMap(\.self) + [output, updated].compactMap(\.self)).contains("") {
      throw ValidationError("a file's name is empty")
    }
    if (inputs + others + rules.compactMap(\.self)).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    for (index, path) in reports.enumerated() where reports[..<index].contains(where: { FileComparison.isSameFile($0, path) }) {
      throw ValidationError("two reports would be written to \(path)")
    }
    if let output, output != "-", reports.contains(where: { FileComparison.isSameFile($0, output) }) {
      throw ValidationError("\(output) would be written twice: as the output and as a report")
    }
    let outputs = reports + [output, updated].compactMap(\.self)
    if updatesRules {
      try ruleArguments?.checkReferences(of: rules, against: outputs)
    } else {
      try ruleArguments?.check(rules, against: outputs)
    }
  }

  /// Throws if a file to write would replace one that is read, or be in a folder of backups. Prints the error. Nothing was read yet.
  func checkOutputs() throws(ExitStatus) {
    let read = inputs + others
    if let output, output != "-", Self.input(output, among: read) != nil {
      throw Self.refusal("\(output) is an input: choose another output name")
    }
    for report in reports {
      guard let input = Self.input(report, among: read + [updated].compactMap(\.self)) else { continue }
      throw Self.refusal("\(subject) would replace \(input), which is an input")
    }
    if let updated, let input = Self.input(updated, among: read) {
      throw Self.refusal("the baseline would replace \(input), which is an input")
    }
    if let report = reports.first(where: { report in folders.contains { FileComparison.isPath(report, within: $0) } }) {
      throw Self.refusal("the report \(report) would be in the folder of backups: choose another folder for it")
    }
  }

  private static func input(_ path: String, among inputs: [String]) -> String? {
    inputs.first { $0 != "-" && FileComparison.isSameFile($0, path) }
  }

  private static func refusal(_ message: String) -> ExitStatus {
    Output.printError(message)
    return .refused
  }

  /// The files and folders that the log names, as given.
  var logged: [String] { inputs + [output].compactMap(\.self) }

  /// Returns what a log would damage, or `nil`.
  func damage(by log: String) -> String? {
    let mapped = ruleArguments?.folders.map(\.path.string) ?? []
    let files = logged + RuleArguments.documents(of: rules) + others + [updated].compactMap(\.self) + reports + mapped
    if let file = files.first(where: { FileComparison.isSameStream($0, log) || $0 != "-" && FileComparison.isSameFile($0, log) })
    {
      return FileSource.name(ofArgument: file)
    }
    return (folders + mapped).first { folder in
      if FileComparison.isPath(log, within: folder) { return true }
      // A file in the folder may be a link to the log.
      let path = FilePath(folder)
      return FolderNames(path)?.names.contains { FileComparison.isSameExistingFile(path.appending($0).string, log) } ?? false
    }
  }
}
