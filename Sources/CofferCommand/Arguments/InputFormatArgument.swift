import ArgumentParser
import Coffer

/// The syntax of the backups that a command reads.
struct InputFormatArgument: ParsableArguments {
  @Option(
    name: [.customLong("input-format"), .customLong("from")],
    help:
      "The syntax of the backups: json, or ndjson with one value per line (default: ndjson if the name ends in .ndjson or .jsonl, else json)."
  )
  var inputFormat: SyntaxArgument?

  var syntax: JSONSyntax? { inputFormat?.syntax }
}
