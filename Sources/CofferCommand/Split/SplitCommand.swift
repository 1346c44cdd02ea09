import ArgumentParser

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Divide a validation into tasks for several processes or machines.",
    discussion: """
      A file's name is enough: coffer split is short for coffer split plan.

      Examples:
        coffer split export.json --tasks 8 --output plan.json
        coffer validate --plan plan.json --task 0 --partial 0.partial
        coffer report merge --plan plan.json *.partial
      """,
    subcommands: [PlanSplitCommand.self, ScanRangeCommand.self], defaultSubcommand: PlanSplitCommand.self)
}
