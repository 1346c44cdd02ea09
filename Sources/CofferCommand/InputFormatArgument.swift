import ArgumentParser
import Coffer

/// How the backups are written down that a command reads: the same for those that read several.
struct InputFormatArgument: ParsableArguments {
  @Option(
    name: [.customLong("input-format"), .customLong("from")],
    help:
      "How the backups are written down; unless told, ndjson (a value a line) where the name ends in .ndjson or .jsonl, else json."
  )
  var inputFormat: SyntaxArgument?

  var syntax: JSONSyntax? { inputFormat?.syntax }
}
