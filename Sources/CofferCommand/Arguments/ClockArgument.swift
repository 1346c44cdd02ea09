import ArgumentParser
import Coffer

/// The time of the run.
struct ClockArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The time that counts as now, in rules and reports, such as 2026-01-01T00:00:00Z (default: the clock).",
      valueName: "time"))
  var now: TimeArgument?

  var instant: Instant { now?.instant ?? .now }
}
