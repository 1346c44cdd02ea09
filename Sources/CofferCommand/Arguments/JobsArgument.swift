import ArgumentParser

/// The number of worker threads.
struct JobsArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp("Worker threads (default: all processors). The result doesn't depend on it.", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be between 1 and 256") }
  }
}
