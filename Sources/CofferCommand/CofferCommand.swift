import ArgumentParser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command: parses arguments, calls one library function, renders, maps the exit status.
@main
struct CofferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer",
    abstract: "Proves JSON backups sound, converts and compresses them, whatever their size.",
    discussion: """
      Coffer streams: a backup of 20 GB takes little more memory than one of 20 MB, and its keys no more than --memory-limit.

      Examples:
        coffer validate export.json                       detect the format, check all of its rules
        coffer validate --rules my-app.json export.json   check against rules of your own (JSON Schema 2020-12)
        coffer convert --pretty export.json.lz4 -         another layout, JSON Lines, one collection, compressed
        coffer compress export.json                       to export.json.lz4, on all processors
        coffer rules check my-app.json                    what is wrong with your rules, and what they cost
        coffer generate ev-charging-tracker test.json --size 100MB --defect reference=3
        coffer formats                                    the formats that ship with it
        coffer rules explain foreignKeys                  what a keyword of a rule document means

      Exit status: 0 sound; 1 findings of severity error; 2 wrong usage or rules; 3 input that can't be read or is no JSON;
      4 nothing done, because data would have been lost; 130 and 143 ended by Ctrl-C or SIGTERM.
      """,
    version: Version.text,
    subcommands: [
      ValidateCommand.self, ConvertCommand.self, CompressCommand.self, DecompressCommand.self, GenerateCommand.self,
      FormatsCommand.self,
      RulesCommand.self,
    ])

  static func main() {
    // A reader that has seen enough closes its end: that shows as an error of the write, which is no failure of ours.
    signal(SIGPIPE, SIG_IGN)
    // So does a file that may grow no further.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let status as ExitStatus {
      status.end()
    } catch {
      finish(with: error)
    }
  }

  /// ArgumentParser's own errors: help and version on standard output, usage on standard error.
  private static func finish(with error: any Error) -> Never {
    let message = fullMessage(for: error)
    if exitCode(for: error) == .success {
      Output.print(message + "\n")
      ExitStatus.sound.end()
    }
    Output.complain(message)
    ExitStatus.usage.end()
  }
}

enum Version {
  static let text = "0.1.0"
}
