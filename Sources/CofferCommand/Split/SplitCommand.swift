import ArgumentParser

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Divide a validation into tasks for several processes or machines.",
    discussion: """
      coffer split FILE is short for coffer split plan FILE.

      Examples:
        coffer split export.json --tasks 8 --output plan.json
        coffer validate --plan plan.json --task 0 --partial 0.partial
        coffer report merge --plan plan.json *.partial
      """,
    subcommands: [PlanSplitCommand.self, ScanRangeCommand.self], defaultSubcommand: PlanSplitCommand.self)
}
