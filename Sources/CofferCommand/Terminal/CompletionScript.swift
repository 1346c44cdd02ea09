import ArgumentParser

/// A script that completes words of the command in a shell. ArgumentParser writes it, but without the commands after `coffer help`.
struct CompletionScript {
  let text: String

  /// - Parameters:
  ///   - text: ArgumentParser's script for bash, zsh or fish.
  ///   - root: the command.
  init(_ text: String, for root: any ParsableCommand.Type) {
    let name = root.configuration.commandName ?? ""
    let commands = root.configuration.subcommands.compactMap { $0.configuration.commandName }.joined(separator: " ")
    let bash = "_\(name)_help() {"
    if text.contains("complete -c '\(name)'") {
      self.text =
        text
        + "\ncomplete -c '\(name)' -n '__\(name)_should_offer_completions_for_positional \"\(name) help\" -ge 1' -fa '\(commands)'"
    } else if text.contains("COMPREPLY"), let start = text.firstRange(of: bash),
      let end = text[start.upperBound...].firstRange(of: "\n}")
    {
      let words = "\n    COMPREPLY+=($(compgen -W '\(commands)' -- \"${cur}\"))"
      self.text = text[..<end.lowerBound] + words + text[end.lowerBound...]
    } else {
      self.text = text.replacing("'*:subcommands:'", with: "'*:subcommands:(\(commands))'")
    }
  }
}
