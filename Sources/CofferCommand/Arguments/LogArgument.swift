import ArgumentParser

/// The file to which a run adds a line.
struct LogArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append a line of JSON about this run to a file: time, verb, files, result, counts and duration.", valueName: "file"),
    completion: .file())
  var log: String?
}

/// A command whose runs can be logged.
protocol LoggedCommand: ParsableCommand {
  var logArgument: LogArgument { get }
  /// The files and folders that a run reads or writes, as given.
  var loggedFiles: [String] { get }
}
