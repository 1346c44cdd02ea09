import ArgumentParser

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Help with writing rules of your own.",
    discussion: """
      Examples:
        coffer rules check my-app.json
        coffer rules test my-app.json --cases cases.yaml
        coffer rules draft backups/*.json --output my-app.json
        coffer rules explain
        coffer rules explain foreignKeys
      """,
    subcommands: [RulesCheckCommand.self, RulesTestCommand.self, RulesDraftCommand.self, RulesExplainCommand.self])
}
