import ArgumentParser
import ByteStreams
import Coffer
import Platform

/// The command: parses arguments, calls one library function, renders, maps the exit status.
@main
struct CofferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer",
    abstract: "Validate, convert and compress JSON backups of any size.",
    discussion: """
      Coffer streams: a backup of 20 GB takes little more memory than one of 20 MB. --memory-limit bounds the memory for \
      keys.

      Examples:
        coffer init export.json                  set up rules and CI for an app
        coffer validate export.json              detect the format, check its rules
        coffer validate --rules my.json a.json   check against rules of your own
        coffer inspect export.json               what it is and contains
        coffer convert --pretty a.json.lz4 -     another layout, or a part of it
        coffer import export.json --into a.db    into SQLite, all or nothing
        coffer export a.db export.json           and back
        coffer diff monday.json friday.json      what was added, removed and changed
        coffer rules draft export.json           write rules from a backup
        coffer generate swiff test.json --size 100MB --defect reference=3

      Reports are text for people. With --json, short for --output-format json, each report is one JSON document for \
      programs. Later versions only add members.

      Output files appear complete or not at all. An existing file is replaced only with --force.

      Exit status: 0 valid; 1 findings of severity error; 2 wrong usage or rules; 3 input that can't be read or is not JSON; \
      4 nothing done, because data would have been lost; 5 no verdict, because the rules ask for more than a limit allows, or refer to \
      a document that is not available; \
      129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM.
      """,
    version: Version.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Check and look",
        subcommands: [
          InitCommand.self, ValidateCommand.self, SplitCommand.self, InspectCommand.self, DiffCommand.self, ReportCommand.self,
        ]),
      CommandGroup(
        name: "Write documents",
        subcommands: [ConvertCommand.self, MigrateCommand.self, MergeCommand.self, RecoverCommand.self, GenerateCommand.self]),
      CommandGroup(
        name: "Compress and pack",
        subcommands: [CompressCommand.self, DecompressCommand.self, PackCommand.self, UnpackCommand.self]),
    ] + databases + [
      CommandGroup(
        name: "Folders of backups",
        subcommands: folders + [ListCommand.self, VerifyCommand.self, PruneCommand.self, DeleteCommand.self]),
      CommandGroup(name: "Formats, rules and speed", subcommands: [FormatsCommand.self, RulesCommand.self] + bench),
    ])

  #if COFFER_WITHOUT_DATABASES
    private static let databases: [CommandGroup] = []
    private static let folders: [any ParsableCommand.Type] = []
    private static let bench: [any ParsableCommand.Type] = []
    private static let isWithoutDatabases = true
  #else
    private static let databases = [
      CommandGroup(name: "SQLite", subcommands: [ImportCommand.self, ExportCommand.self, QueryCommand.self])
    ]
    private static let folders: [any ParsableCommand.Type] = [BackupCommand.self, RestoreCommand.self]
    private static let bench: [any ParsableCommand.Type] = [BenchCommand.self]
    private static let isWithoutDatabases = false
  #endif

  static func main() {
    // First, because until then SIGUSR1 ends the process.
    StateRequest.listen()
    // If the reader closes the pipe, the write fails with an error, which is handled there.
    signal(SIGPIPE, SIG_IGN)
    // Likewise, a write fails with an error if the file reaches its size limit.
    signal(SIGXFSZ, SIG_IGN)
    if let argument = CommandLine.firstInvalidArgument {
      Output.printError("'\(argument)' is not UTF-8: rename the file, or let the shell open it and name - (standard input)")
      ExitStatus.usage.end()
    }
    run(Array(CommandLine.arguments.dropFirst())).end()
  }

  /// Runs the command with these arguments on the current standard streams.
  static func run(_ arguments: [String]) -> ExitStatus {
    Run.$current.withValue(Run(arguments, of: Self.self)) { checked(arguments) }
  }

  private static func checked(_ arguments: [String]) -> ExitStatus {
    if isWithoutDatabases, let verb = arguments.first, ["import", "export", "query", "backup", "restore", "bench"].contains(verb)
    {
      Output.printNotice("coffer: this build has no database support, and so no '\(verb)': use 'make build'")
      return .usage
    }
    if let (name, option) = misplacedWord(in: arguments) {
      Output.printError(
        option.map { "'\(name)' is not a value of \($0)" }
          ?? "unknown option '\(name)'; for a file of this name, write './\(name)', or '--' before it")
      return .usage
    }
    if let message = unknownVerb(in: arguments) {
      Output.printError(message)
      return .usage
    }
    if let name = repeatedOption() {
      Output.printError("\(name) is given twice, but takes one value")
      return .usage
    }
    return perform(EvaluationArguments.withValueOfEach(arguments))
  }

  private static func perform(_ arguments: [String]) -> ExitStatus {
    let (arguments, files) = FilesArgument.takenOut(of: arguments)
    var parsed: (any ParsableCommand)?
    let status = Self.status {
      let command = try parsedVerb(arguments) ?? parseAsRoot(arguments)
      parsed = try (command as? any FilesVerb)?.with(files) ?? command
    }
    // Help and the version are errors that end with success.
    guard var command = parsed else { return status }
    guard var verb = command as? any Verb else { return Self.status { try command.run() } }
    return Run.current.logged(verb) {
      Self.status {
        try verb.configure()
        let use = verb.use
        try use.checkOutputs()
        do { try verb.run() } catch {
          let names = use.inputs.map(FileSource.name(ofArgument:))
          throw ExitStatus.ending(
            with: error, inputs: names, rules: use.rules.first.flatMap(\.self).map(FileSource.name(ofArgument:)))
        }
      }
    }
  }

  /// Returns the command that the first words name, or `nil` if ArgumentParser has to say what is wrong with the others, or is asked for help.
  ///
  /// From the root, ArgumentParser describes the options of a subcommand four times, which takes longer than to validate a small document; and debug
  /// builds check each description.
  private static func parsedVerb(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let verb = Run.current.verb, verb.configuration.subcommands.isEmpty,
      let command = try? verb.parseAsRoot(Array(arguments.dropFirst(Run.current.verbWords))), type(of: command) == verb
    else { return nil }
    return command
  }

  private static func status(of body: () throws -> Void) -> ExitStatus {
    do {
      try body()
      return .success
    } catch let status as ExitStatus {
      return status
    } catch {
      return status(of: error)
    }
  }

  /// Returns a message if the first words name no command.
  private static func unknownVerb(in arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = CofferCommand.self
    var path = "coffer"
    for word in arguments.prefix(while: { !$0.hasPrefix("-") && $0 != "help" }) {
      let known = command.configuration.subcommands
      if known.isEmpty { break }
      guard let next = known.first(where: { $0.configuration.commandName == word }) else {
        if command.configuration.defaultSubcommand != nil { break }
        let names = known.compactMap { $0.configuration.commandName }
        let suggestion = Suggestion.text(for: word, among: names)
        return "there is no command '\(path) \(word)'" + (suggestion.isEmpty ? "; see '\(path) --help'" : suggestion)
      }
      command = next
      path += " \(word)"
    }
    return nil
  }

  /// Returns the first option that is given twice and keeps only one of the values. ArgumentParser would drop the other without a
  /// word.
  private static func repeatedOption() -> String? {
    var given: Set<String> = []
    let repeated = Run.current.options.filter { !given.insert($0).inserted }
    if repeated.isEmpty { return nil }
    let singles = Run.current.verbOptions(.takingOneValue)
    return repeated.first(where: singles.contains)
  }

  /// Returns the first argument that begins with a dash and can't be an option, and the option before it if that takes a value.
  /// ArgumentParser takes `-h.json`, `-harm` and `--help=x` for requests for help.
  private static func misplacedWord(in arguments: [String]) -> (word: String, option: String?)? {
    let options = arguments.prefix { $0 != "--" }
    let misplaced = options.indices.first { index in
      let argument = options[index]
      guard argument.hasPrefix("-"), argument != "-", argument != "-h" else { return false }
      let name = argument.prefix { $0 != "=" }
      return name.wholeMatch(of: /--[a-z0-9-]+/) == nil || name != argument && ["--help", "--version"].contains(name)
    }
    guard let misplaced else { return nil }
    let option = misplaced > 0 ? options[misplaced - 1] : ""
    return (options[misplaced], Run.current.verbOptions(.takingOneValue).contains(option) ? option : nil)
  }

  /// Prints ArgumentParser's own errors: help and version to standard output, usage to standard error.
  private static func status(of error: any Error) -> ExitStatus {
    // By default, ArgumentParser uses the width of the process's terminal.
    let message = fullMessage(for: error, columns: Terminal.isOpen(\.output) ? nil : 80)
    if exitCode(for: error) == .success {
      do {
        let isScript = Run.current.options.contains("--generate-completion-script")
        try Output.print((isScript ? CompletionScript(message, for: self).text : message) + "\n")
        return .success
      } catch {
        return error
      }
    }
    if message.contains("Unknown option"), let foreign = Run.current.foreignOption(in: Self.self) {
      Output.printError(foreign)
      return .usage
    }
    // The prefix `coffer: ` replaces it.
    let prefix = "Error: "
    Output.printNotice("coffer: " + (message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message))
    return .usage
  }
}

extension CommandLine {
  /// The first argument that isn't UTF-8, with its other bytes as `\xE9`. `arguments` has replaced those bytes, so no file would
  /// have that name.
  fileprivate static var firstInvalidArgument: String? {
    for index in 0..<Int(argc) {
      guard let argument = unsafeArgv[index], String(validatingCString: argument) == nil else { continue }
      let bytes = UnsafeBufferPointer(start: argument, count: strlen(argument)).map(UInt8.init(bitPattern:))
      return bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16, uppercase: true) }.joined()
    }
    return nil
  }
}
