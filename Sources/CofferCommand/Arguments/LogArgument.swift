import ArgumentParser
import ByteStreams
import Rules
import SystemPackage

/// The file to which a run adds a line.
struct LogArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append a line of JSON about this run to a file: time, verb, files, result, counts and duration.", valueName: "file"),
    completion: .file())
  var log: String?

  func validate() throws {
    if log == "-" { throw ValidationError("--log needs a file; './-' is a file of this name") }
  }
}

/// A command whose runs can be logged.
protocol LoggedCommand: ParsableCommand {
  var logArgument: LogArgument { get }
  /// The files and folders that the line names, as given. A run uses them.
  var loggedFiles: [String] { get }
  /// The other files that a run reads or writes; `-` is standard input.
  var usedFiles: [String] { get }
  /// The folders whose files a run may read or write.
  var usedFolders: [String] { get }
  /// The options for reading rule documents.
  var ruleArguments: RuleArguments { get }
}

extension LoggedCommand {
  /// Returns what a run uses and the log would damage, or `nil`.
  func use(of log: String) -> String? {
    let files = loggedFiles + usedFiles + ruleArguments.folders.map(\.path.string)
    if let file = files.first(where: { Output.isSameStream($0, log) || $0 != "-" && Output.isSameFile($0, log) }) {
      return file == "-" ? "standard input" : file
    }
    return (usedFolders + ruleArguments.folders.map(\.path.string)).first { folder in
      if Output.isPath(log, within: folder) { return true }
      // A file in the folder may be a link to the log.
      let path = FilePath(folder)
      return FolderNames(path)?.names.contains { Output.isSameExistingFile(path.appending($0).string, log) } ?? false
    }
  }
}
