import ArgumentParser

/// How many threads work: the same for every command that has several.
struct JobsArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp("Worker threads (default: all processors). The result doesn't depend on it.", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is between 1 and 256") }
  }
}
