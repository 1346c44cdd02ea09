import ArgumentParser
import Coffer

/// The options for reading backups: the time, threads, memory, limits, progress and rule documents.
struct ReadingArguments: ParsableArguments {
  @OptionGroup var clock: ClockArgument

  @OptionGroup var jobsArgument: JobsArgument

  @OptionGroup var memory: MemoryArgument

  @OptionGroup var expansion: ExpansionArguments

  @OptionGroup var progressArgument: ProgressArgument

  @OptionGroup var ruleArguments: RuleArguments

  /// Returns the threads, the memory, the cancellation and the progress of the run.
  func execution(_ progress: WorkProgress) -> Execution {
    var execution = jobsArgument.execution(progress)
    memory.apply(to: &execution)
    execution.expansion = expansion.limits
    return execution
  }
}
