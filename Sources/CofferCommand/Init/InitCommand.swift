import ArgumentParser
import ByteStreams
import Coffer
import JSONEvents
import Platform
import Reports
import RulesYAML
import SystemPackage

struct InitCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Set up the checks of an app's exports: rules, a project file and a CI job.",
    usage: "coffer init [<options>] <file> ...",
    discussion: """
      Drafts rules from the exports, as coffer rules draft does, unless their format is built in; asks on a terminal about rules \
      that few values support; and writes, in the current folder:

        rules/NAME.yaml                 the rules, to check and to edit
        coffer.yaml                     says which files have them
        .github/workflows/coffer.yml    a job that validates the files; coffer.gitlab-ci.yml for GitLab
        coffer-baseline.json            findings that the files already have, with --baseline

      Then it validates the files, as the job will. Commit what it wrote.

      Give as many exports as you have: what holds by chance in one fails in another.

      Examples:
        coffer init exports/*.json
        coffer init exports/*.json --name podcasts --ci gitlab
        coffer init export.json --yes --drop /properties/tags/primaryKey

      Exit status: 0 set up, and the files are valid; 1 set up, and they have errors; 2 wrong usage; 3 an export can't be read, or \
      a file can't be written; 4 nothing done, because a file exists; 5 set up, but no verdict, because the rules ask for more than a \
      limit allows.
      """)

  @Argument(.backup, "The exports, in or below the current folder: JSON, also compressed, or ZIP.")
  var files: [String]

  @Option(.name, "The format's name (default: from the name of the first file).")
  var name: String?

  @Option(.choice, "The CI system (default: GitLab if .gitlab-ci.yml exists, GitHub in a Git repository, otherwise none).")
  var ci: CIFile.System?

  @Option(help: "How much evidence a rule needs: loose for strong evidence only, tight for any.")
  var strictness = DraftStrictness.normal

  @Option(.value("pointer"), "Leave out a rule that few values support, by its place in the rules. May be repeated.")
  var drop: [String] = []

  @Flag(help: "Ask nothing: keep all drafted rules.")
  var yes = false

  @Flag(help: "Accept the findings that the files already have.")
  var baseline = false

  @Flag(help: "Replace existing files.")
  var force = false

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  private static let baselineName = "coffer-baseline.json"
  /// More questions than this are a nuisance.
  private static let questionLimit = 12

  func checkArguments() throws {
    if files.isEmpty { throw ValidationError("name at least one export") }
    for file in files where file == "-" || file.hasPrefix("/") || FilePath(file).components.contains(where: { $0.string == ".." })
    {
      throw ValidationError("\(file): the exports must be in or below the current folder, where \(ProjectFile.name) is written")
    }
    let special = Set("*?[]{}\\")
    if let file = files.first(where: { $0.contains { special.contains($0) || $0.isNewline } }) {
      throw ValidationError("\(file): patterns can't name files with *, ?, brackets, braces, backslashes or line breaks")
    }
    if let name, Self.fileName(for: name) != name {
      throw ValidationError(
        "the name '\(name)' must have lower-case letters, digits, '-' and '_' only: it is also that of a file")
    }
  }

  var use: FileUse {
    var use = use(of: files)
    use.reports = written((try? unknownFiles()) ?? files)
    return use
  }

  private func use(of files: [String]) -> FileUse {
    FileUse(inputs: files, ruleArguments: try? RuleArguments.parse([]), subject: "the project")
  }

  private static func rulesPath(_ name: String) -> String { "rules/\(name).yaml" }
  private var ciFile: CIFile? { (ci ?? .found).flatMap { CIFile($0, files: Self.patterns(of: files)) } }

  /// The name of the drafted format, or `nil` if nothing is to be drafted.
  private func draftedName(_ unknown: [String]) -> String? { unknown.first.map { name ?? Self.fileName(for: $0) } }

  private func written(_ unknown: [String]) -> [String] {
    let rules = draftedName(unknown).map(Self.rulesPath)
    return [ProjectFile.name, rules, ciFile?.path, baseline ? Self.baselineName : nil].compactMap(\.self)
  }

  func run() throws {
    if let project = try use(of: files).configuration().project, access(ProjectFile.name, F_OK) != 0 {
      Output.printError("\(project.path) is the project file of this folder: add the rules there")
      throw ExitStatus.refused
    }
    let unknown = try unknownFiles()
    if !force, let existing = written(unknown).first(where: { access($0, F_OK) == 0 }) {
      Output.printError("\(existing) already exists; --force replaces it")
      throw ExitStatus.refused
    }
    let drafted = try draft(unknown)
    let ciFile = ciFile
    var paths: [String] = []
    do {
      if let drafted { try write(drafted.rules.yaml, to: drafted.path, &paths) }
      try write(projectFile(drafted), to: ProjectFile.name, &paths)
      if let ciFile { try write(ciFile.text, to: ciFile.path, &paths) }
      if baseline {
        let status = try validate(["--baseline", Self.baselineName, "--update-baseline", "--quiet"])
        guard [.success, .findings].contains(status) else { throw status }
        paths.append(Self.baselineName)
      }
    } catch {
      if !paths.isEmpty { Output.printNotice("wrote \(paths.joined(separator: ", ")) before that") }
      throw error
    }
    Output.printNotice("wrote \(paths.joined(separator: ", "))")
    if let note = ciFile?.note { Output.printNotice(note) }
    if ciFile == nil { Output.printNotice("no job for CI: --ci github or --ci gitlab writes one") }
    let status = try validate()
    if status != .success { throw status }
  }

  /// Validates the files by the project file, as `coffer validate` does.
  private func validate(_ options: [String] = []) throws -> ExitStatus {
    // The options of this run are not those of a validation.
    try Run.$current.withValue(Run(options, of: nil)) {
      do {
        var command = try ValidateCommand.parse(options + ["--"] + files)
        try command.configure()
        try command.run()
        return .success
      } catch let status as ExitStatus { return status }
    }
  }

  // MARK: Rules

  /// Drafts rules for the files of no known format, and names the file for them; `nil` if there are none.
  private func draft(_ unknown: [String]) throws -> (path: String, rules: RuleDraft)? {
    guard let name = draftedName(unknown) else {
      if drop.isEmpty { return nil }
      Output.printError("--drop needs drafted rules, but the formats of all files are known")
      throw ExitStatus.usage
    }
    let draft = try progressArgument.work("drafting rules") { progress in
      var options = DraftingOptions()
      options.strictness = strictness
      options.name = name
      options.execution = jobsArgument.execution(progress)
      memory.apply(to: &options.execution)
      return try RuleDrafter(options: options).draft(unknown.map { FilePath($0) })
    }
    let counts = [draft.keyCount.counted("key"), draft.referenceCount.counted("reference")].joined(separator: " and ")
    Output.printNotice("\(name): drafted from \(draft.documents.counted("document")), with \(counts)")
    if draft.documents > 1, draft.documentsShareNothing {
      Output.printNotice(
        "\(name): the exports share no member: if they are of several formats, give those of one format at a time")
    }
    do {
      _ = try draft.leavingOut(drop)
      return try (Self.rulesPath(name), decided(draft))
    } catch CofferError.Code.noSuchValue {
      let places = draft.doubts.map(\.location)
      Output.printError("--drop names no rule in doubt; those are: \(places.isEmpty ? "none" : places.joined(separator: ", "))")
      throw ExitStatus.usage
    }
  }

  /// The files of no known format. A project that is replaced doesn't count.
  private func unknownFiles() throws -> [String] {
    let own = force ? [] : try use(of: files).configuration().ownFormats.map(\.format)
    let catalog = FormatCatalog.builtIn.preceded(by: own)
    return try files.filter { file in
      let source = try FileSource(argument: file, cancellation: nil)
      if JSONSyntax(ofFileNamed: file) == .jsonLines { return true }
      guard let detection = try? catalog.detect(source) else { return true }
      if case .unknown = detection { return true }
      return false
    }
  }

  /// Asks about the rules that few values support, or says which are kept.
  private func decided(_ draft: RuleDraft) throws -> RuleDraft {
    let doubts = draft.doubts.filter { !drop.contains($0.location) }
    guard !yes, Terminal.hasPerson else {
      for doubt in doubts {
        Output.printNotice("  kept: \(Self.line(on: doubt)); --drop \(doubt.location.shellWord) leaves it out")
      }
      return try draft.leavingOut(drop)
    }
    var dropped: [String] = []
    for doubt in doubts.prefix(Self.questionLimit)
    where !Terminal.asks("\(Self.line(on: doubt)). Keep this rule? [Y/n] ", default: true) {
      dropped.append(doubt.location)
    }
    for doubt in doubts.dropFirst(Self.questionLimit) { Output.printNotice("  kept: \(Self.line(on: doubt))") }
    return try draft.leavingOut(drop + dropped)
  }

  private static func line(on doubt: RuleDraft.Doubt) -> String { "\(doubt.rule) (\(doubt.evidence))".printable }

  // MARK: Files

  private func projectFile(_ drafted: (path: String, rules: RuleDraft)?) -> String {
    var text = "# Which rules the exports have. All commands of Coffer find this file from here and below.\n"
    if let drafted {
      if drafted.rules.isRecognisable {
        text += "formats:\n  - \(drafted.path)\n"
      } else {
        // Documents that are no objects can't be recognised by their members.
        text += "files:\n"
        for pattern in Self.patterns(of: files) { text += "  \(CIFile.quoted(pattern)): \(drafted.path)\n" }
      }
    } else {
      text += "formats: []\n"
    }
    return baseline ? text + "baseline: \(Self.baselineName)\n" : text
  }

  private func write(_ text: String, to path: String, _ written: inout [String]) throws {
    do {
      try FilePath(path).removingLastComponent().makeFolders(permissions: [
        .ownerReadWriteExecute, .groupReadExecute, .otherReadExecute,
      ])
      var file = try OutputFile(path, existing: force ? .replace : .keep)
      try file.write(text)
      try file.commit()
      written.append(path)
    } catch {
      Output.printError(error.message)
      throw ExitStatus(error)
    }
  }

  /// `exports/Podcasts 2026-03.json` ─▶ `podcasts`
  private static func fileName(for path: String) -> String {
    let plain = CompressionFormat.plainName(of: FilePath(path).lastComponent?.string ?? "")
    let stem = (FilePath(plain).stem ?? "").lowercased()
    let words = stem.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }.filter {
      $0.contains(where: \.isLetter)
    }
    return words.isEmpty ? "exports" : words.joined(separator: "-")
  }

  /// `exports/a.json`, `exports/b.json` ─▶ `exports/*.json`
  private static func patterns(of files: [String]) -> [String] {
    var patterns: [String] = []
    for file in files {
      let path = FilePath(file).lexicallyNormalized()
      let name = path.lastComponent?.string ?? file
      let plain = CompressionFormat.plainName(of: name)
      let ending = FilePath(plain).extension.map { "." + $0 + name.dropFirst(plain.count) } ?? ""
      let pattern = path.removingLastComponent().appending("*" + ending).string
      if !patterns.contains(pattern) { patterns.append(pattern) }
    }
    return patterns
  }
}
