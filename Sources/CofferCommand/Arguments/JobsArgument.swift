import ArgumentParser
import Coffer

/// The number of worker threads.
struct JobsArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp("Worker threads (default: all processors). The result doesn't depend on it.", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be between 1 and 256") }
  }

  /// Returns the threads, the cancellation and the progress of the run.
  func execution(_ progress: WorkProgress, cancellation: Cancellation = Interruption.start()) -> Execution {
    var execution = Execution()
    if let jobs { execution.jobs = jobs }
    execution.cancellation = cancellation
    execution.progress = progress
    return execution
  }
}
