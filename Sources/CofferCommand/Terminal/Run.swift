import ArgumentParser
import ByteStreams
import Coffer
import Findings
import JSONEvents
import Synchronization

/// The current run of the command: the options that it was given, and what its log says.
///
/// A run of `--log FILE` appends a line:
///
///     {"time":"2026-07-10T03:15:00Z","verb":"backup","files":["a.db","backups"],"result":"success","status":0,
///      "error":null,"counts":{"written":1,"records":12},"seconds":0.042}
///
/// A run that is killed appends nothing.
final class Run: Sendable {
  @TaskLocal static var current = Run([], of: nil)

  /// The names of the given options, in their order: `--jobs`.
  let options: [String]
  /// The command that runs.
  let verb: (any ParsableCommand.Type)?
  /// How many of the first arguments name it.
  let verbWords: Int
  let log = Mutex(Log())

  struct Log {
    var counts: [(name: String, count: Int)] = []
    var error: String?
    var configuration = RunConfiguration()
    /// What was said about the configuration, which a verb may read several times.
    fileprivate var notices: Set<String> = []
  }

  /// - Parameter root: the command whose subcommands the first words name.
  init(_ arguments: [String], of root: (any ParsableCommand.Type)?) {
    options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    var verb = root
    var words = 0
    for word in arguments {
      guard let next = verb?.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else { break }
      verb = next
      words += 1
    }
    self.verb = verb?.configuration.defaultSubcommand ?? verb
    verbWords = words
  }

  /// Returns the first given option that is or isn't among some.
  func option(among options: Set<String>, _ isAmong: Bool = true) -> String? {
    self.options.first { options.contains($0) == isAmong }
  }

  /// The options of the verb. Their description takes milliseconds: it is read only if needed.
  func verbOptions(_ kind: OptionKind = .any) -> Set<String> {
    verb.map { Self.options(of: $0, kind) } ?? []
  }

  enum OptionKind { case any, takingValues, takingOneValue }

  private static func options(of verb: any ParsableCommand.Type, _ kind: OptionKind = .any) -> Set<String> {
    let description = try? JSONValue.readRules(MemorySource(verb._dumpHelp().utf8))
    let options = description?["command"]?["arguments"]?.array?.filter { argument in
      kind == .any || argument["kind"]?.string == "option" && (kind == .takingValues || argument["isRepeating"]?.boolean == false)
    }
    return Set((options ?? []).flatMap { $0["names"]?.array ?? [] }.compactMap { $0["name"]?.string.map { "--" + $0 } })
  }

  /// Returns what is wrong with the first given option that other verbs have, and not this one.
  func foreignOption(in root: any ParsableCommand.Type) -> String? {
    let own = verbOptions()
    for option in options where !own.contains(option) {
      let verbs = root.leaves.filter { Self.options(of: $0.command).contains(option) }.map(\.name)
      if !verbs.isEmpty { return "there is no option '\(option)' here; it is one of coffer \(verbs.joined(separator: ", "))" }
    }
    return nil
  }

  // MARK: The log

  /// Adds counts to the line of the run.
  static func note(_ counts: KeyValuePairs<String, Int>) {
    current.log.withLock { log in log.counts += counts.map { ($0.key, $0.value) } }
  }

  /// Adds an error to the line. Only the first of a run is kept: it is the cause.
  static func note(error: String) {
    current.log.withLock { log in if log.error == nil { log.error = error } }
  }

  /// Prints what a user should know about the configuration, once.
  static func printOnce(_ notice: String) {
    if current.log.withLock({ $0.notices.insert(notice).inserted }) { Output.printNotice("coffer: \(notice.printable)") }
  }

  /// Says what configures the run.
  static func note(project: String?, ownFormats: [(name: String, file: String)]) {
    current.log.withLock { log in
      log.configuration.project = project
      log.configuration.known = ownFormats
    }
  }

  /// Says which options the project file sets.
  static func note(options: [(name: String, value: String)]) {
    current.log.withLock { log in log.configuration.options = options }
  }

  /// Says that a rule document of this run has the name of a format.
  static func note(givenFormat name: String) {
    current.log.withLock { log in log.configuration.known.removeAll { $0.name == name } }
  }

  /// Says which formats the run uses.
  static func note(formats: [String?]) {
    current.log.withLock { log in log.configuration.used.formUnion(formats.compactMap(\.self)) }
  }

  /// Adds the error of the first file that can't be read or is damaged.
  static func note(errorOf reports: [ValidationReport]) {
    if let error = reports.lazy.compactMap(\.error).first { note(error: error.message) }
  }
}

/// What configured a run besides its options. Reports include it, so they say where the rules come from.
///
///     configuration: coffer.yaml (fail-on warning, baseline known.json); trips is rules/trips.yaml
///
///     "configuration": {"project": "coffer.yaml", "options": {"fail-on": "warning", "baseline": "known.json"},
///                       "formats": [{"name": "trips", "file": "rules/trips.yaml"}]}
struct RunConfiguration: Sendable {
  /// The project file.
  var project: String?
  /// The options that it set.
  var options: [(name: String, value: String)] = []
  /// All formats that are not built in.
  fileprivate var known: [(name: String, file: String)] = []
  /// The names of the formats that the run uses.
  fileprivate var used: Set<String> = []
  /// The used formats that are not built in.
  private var formats: [(name: String, file: String)] { known.filter { used.contains($0.name) } }

  static var current: RunConfiguration { Run.current.log.withLock { $0.configuration } }

  /// In words, or `nil` if there is nothing.
  var words: String? {
    let options = options.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    let parts = [project.map { options.isEmpty ? $0 : "\($0) (\(options))" }].compactMap(\.self)
    let words = (parts + formats.map { "\($0.name) is \($0.file)" }).joined(separator: "; ")
    return words.isEmpty ? nil : words.printable
  }

  /// In a JSON report, or `nil` if there is nothing.
  fileprivate var members: ReportMembers? {
    if words == nil { return nil }
    return [
      "project": IfPresent(project),
      "options": IfPresent(options.isEmpty ? nil : ReportMembers(options.map { ($0.name, $0.value) })),
      "formats": formats.map { ["name": $0.name, "file": $0.file] as ReportMembers },
    ]
  }

  /// A line for the end of a text report; empty if there is nothing to say.
  var line: String { words.map { "configuration: \($0)\n" } ?? "" }
}

/// A report with what configured the run as its last member.
struct ConfiguredReport: Encodable {
  private let report: any Encodable

  init(_ report: any Encodable) { self.report = report }

  func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    if let members = RunConfiguration.current.members { try encoder.encode(["configuration": members]) }
  }
}

extension ParsableCommand {
  /// The commands without subcommands, with the words that name them.
  fileprivate static var leaves: [(name: String, command: any ParsableCommand.Type)] {
    configuration.subcommands.flatMap { command -> [(name: String, command: any ParsableCommand.Type)] in
      let name = command.configuration.commandName ?? ""
      let leaves = command.leaves
      return leaves.isEmpty ? [(name, command)] : leaves.map { ("\(name) \($0.name)", $0.command) }
    }
  }
}
