import ByteStreams
import Coffer
import Findings
import Platform
import Rules
import SystemPackage

/// What configures a run besides its options: the project file, and the formats in the user's folder.
///
/// This is the one place that knows all formats, and what the name or path of rules means. Of formats with one name, the first counts:
/// that of `--rules`, of the project, of the user, the built-in one.
struct Configuration {
  let project: ProjectFile?
  /// All formats.
  let catalog: FormatCatalog
  /// The formats that are not built in, without those that others replace.
  let ownFormats: [OwnFormat]
  /// What the user should know.
  let notices: [String]
  fileprivate let reading: RuleReading
  /// The rules that the project file names for its files, by that name.
  private var assigned: [String: RuleSource] = [:]

  /// A format that is not built in.
  struct OwnFormat {
    let format: BackupFormat
    /// The rule document that describes it.
    let file: FilePath
    let origin: Origin
  }

  /// Whose format it is.
  enum Origin: String {
    case project, user
  }

  /// - Parameters:
  ///   - inputs: the files and folders that the run is about.
  ///   - arguments: the options for reading rule documents.
  /// - Throws: `CofferError` if the project file, or one that it names, can't be used. A faulty format of the user is left out.
  init(of inputs: [String], _ arguments: RuleArguments) throws(CofferError) {
    let search = arguments.noConfig ? ProjectFile.Search() : try ProjectFile.search(for: inputs)
    project = try search.path.map { path throws(CofferError) in try ProjectFile(at: path) }
    reading = RuleReading(arguments: arguments, project: project)
    var known = KnownFormats()
    if let ignored = search.ignored { known.notices.append("\(ignored) belongs to another user, and is ignored") }
    for file in project?.formats ?? [] {
      known.add(OwnFormat(format: try reading.format(at: file), file: file, origin: .project))
    }
    for file in arguments.noConfig ? [] : Self.userFiles {
      do throws(CofferError) {
        known.add(OwnFormat(format: try reading.format(at: file), file: file, origin: .user))
      } catch {
        let reason = error.text(inputs: [file.string], rules: file.string)
        known.notices.append("warning: \(file) gives no format: \(reason)")
      }
    }
    for files in project?.files ?? [] {
      guard let project, let name = files.rules.string, assigned[name] == nil else { continue }
      do { assigned[name] = try known.rules(named: files.rules, of: project, reading) } catch {
        throw error.inDocument(project.path.string)
      }
    }
    (ownFormats, catalog, notices) = (known.own, known.catalog, known.notices)
  }

  // MARK: The user's formats

  /// The rule documents in the user's folder, in order.
  private static var userFiles: [FilePath] {
    guard let folder = userFolder, let names = FolderNames(folder)?.names else { return [] }
    let endings = Set(RuleArguments.syntaxes.flatMap(\.endings))
    return names.sorted().filter { !$0.hasPrefix(".") }.map(folder.appending).filter { file in
      file.extension.map { endings.contains($0.lowercased()) } == true && FileComparison.isRegularFile(file.string)
    }
  }

  /// The folder for formats of the user. Runs within tests have none.
  static var userFolder: FilePath? {
    guard StandardStreams.current.belongToProcess else { return nil }
    let parent = Terminal.path("XDG_CONFIG_HOME") ?? Terminal.path("HOME")?.appending(".config")
    return parent?.appending("coffer").appending("formats")
  }
}

/// The formats that have been found, in the order in which they count.
private struct KnownFormats {
  private(set) var own: [Configuration.OwnFormat] = []
  var notices: [String] = []

  var catalog: FormatCatalog { .builtIn.preceded(by: own.map(\.format)) }

  mutating func add(_ format: Configuration.OwnFormat) {
    let name = format.format.name
    if let earlier = own.first(where: { $0.format.name == name }) {
      notices.append("\(earlier.file) and \(format.file) describe a format '\(name)': the first one counts")
      return
    }
    if FormatCatalog.builtIn.names.contains(name) {
      notices.append("\(format.file) takes the place of the built-in format '\(name)'")
    }
    own.append(format)
  }

  /// Returns the rules that a project file names for its files: a format, or a rule document. That may describe another format.
  mutating func rules(
    named value: RuleValue, of project: ProjectFile, _ reading: RuleReading
  ) throws(CofferError) -> RuleSource {
    let name = value.string ?? ""
    if let format = catalog[name] { return .format(format) }
    let file: FilePath
    do { file = try value.expectFile(in: project.folder) } catch {
      if name.contains("/") || name.contains(".") { throw error }
      throw value.error("there is no format '\(name)' and no such file\(catalog.hint(for: name))")
    }
    let source = try reading.source(at: file)
    guard case .format(let format) = source else { return source }
    let found = Configuration.OwnFormat(format: format, file: file, origin: .project)
    guard let index = own.firstIndex(where: { $0.format.name == format.name }) else {
      add(found)
      return source
    }
    let other = own[index]
    if other.origin == .user {
      notices.append("\(file) and \(other.file) describe a format '\(format.name)': the first one counts")
      own[index] = found
    } else if other.file != file {
      throw value.error("\(file) and \(other.file) describe a format '\(format.name)': a project has one of each name")
    }
    return source
  }
}

// MARK: Rules

extension Configuration {
  /// Returns the rules of a file: those that are named, or else those of the project file, or else those of the format that is detected.
  ///
  /// Prints errors in them, and throws the exit status. Prints how many named rules are not applied.
  func rules(_ name: String?, for file: String) throws -> RuleSource {
    if let name { return try rules(named: name) }
    return rulesName(for: file).flatMap { assigned[$0] } ?? .detected(catalog)
  }

  /// Returns the rules of files that are read together.
  func rules(_ name: String?, forAll files: [String]) throws -> RuleSource {
    if name == nil { try checkRulesAreSame(for: files) }
    return try rules(name, for: files.first ?? "-")
  }

  /// Throws the exit status if the project file names different rules for files that are read together. Prints the error.
  private func checkRulesAreSame(for files: [String]) throws {
    guard let project else { return }
    let rules = files.map { project.rules(for: $0) }
    func differs(_ other: ProjectFile.Files?) -> Bool {
      other?.rules.string != rules[0]?.rules.string || other?.each != rules[0]?.each
    }
    guard let index = rules.firstIndex(where: differs) else { return }
    func words(_ rules: ProjectFile.Files?) -> String {
      rules.map { "'\($0.rules.string ?? "")'" + ($0.each.map { " for each of '\($0)'" } ?? "") } ?? "the detected format"
    }
    Output.printError(
      "\(project.path) has the rules \(words(rules[0])) for \(files[0]), and \(words(rules[index])) for \(files[index]): name one with --rules"
    )
    throw ExitStatus.usage
  }

  /// Makes one value for all files with the same rules.
  func values<Value>(
    of files: [String], rules name: String?, _ make: (_ file: String) throws -> Value
  ) rethrows -> FileValues<Value> {
    var known: [Int?: Int] = [:]
    var values = FileValues<Value>()
    for file in files {
      let rules = name == nil ? project?.index(for: file) : nil
      if known[rules] == nil {
        known[rules] = values.all.count
        values.all.append(try make(file))
      }
      values.indices[file] = known[rules]
    }
    return values
  }

  /// Returns the format that the project file names for each file of a folder, by the file's name. `nil` if it names none for any file.
  func assignedFormats(in folder: String) -> (@Sendable (_ name: String) -> BackupFormat?)? {
    guard let project, !project.files.isEmpty else { return nil }
    let assigned = assigned
    return { name in
      let rules = project.rules(for: FilePath(folder).appending(name).string)?.rules.string.flatMap { assigned[$0] }
      if case .format(let format)? = rules { return format }
      return nil
    }
  }

  /// Returns what the project file names for a file, or `nil` if its format is detected.
  private func rulesName(for file: String) -> String? { project?.rules(for: file)?.rules.string }

  /// Returns the rules of files that another process reads, which has no configuration: as `--rules` names them for that process. `nil` if
  /// it can detect the formats itself, because they are built in.
  func rulesForOthers(_ name: String?, readingAll files: [String]) throws -> String? {
    if let name { return document(ofRules: name) }
    try checkRulesAreSame(for: files)
    if let name = files.first.flatMap(rulesName(for:)) {
      if case .document(_, let path)? = assigned[name] { return path }
      if case .format(let format)? = assigned[name] { return document(ofRules: format.name) }
    }
    if ownFormats.isEmpty { return nil }
    let names = Set(files.compactMap(formatName(ofContent:)))
    guard let own = ownFormats.first(where: { names.contains($0.format.name) }) else { return nil }
    if names.count == 1 { return own.file.string }
    Output.printError("the files have the formats \(names.sorted().joined(separator: ", ")): name the rules of all with --rules")
    throw ExitStatus.usage
  }

  /// The format that a file's content has, if it is known.
  private func formatName(ofContent file: String) -> String? {
    // Opening a pipe would wait for its writer.
    guard FileComparison.isRegularFile(file), var source = try? FileSource(path: FilePath(file)),
      let start = try? source.readPrefix(4), let whole = try? FileSource(path: FilePath(file))
    else { return nil }
    if ZIPReader.isArchive(start) {
      let inspector = Inspector(.detected(catalog), options: InspectionOptions(now: .now))
      return (try? inspector.inspect(whole, named: file))?.format.name
    }
    if case .format(let found)? = try? catalog.detect(whole) { return found.format.name }
    return nil
  }

  /// The arguments of a run that reads a rule document as this one does.
  func arguments(forRulesAt name: String) -> [String] {
    let options = options(ofRulesAt: name)
    return ["--rules", name.hasPrefix("-") ? "./" + name : name]
      + (options.referenceFolder.map { ["--refs", $0.string] } ?? [])
      + options.folders.flatMap { ["--map", "\($0.uri)=\($0.path)"] }
      + (options.formats == .byDialect ? [] : [options.formats == .always ? "--assert-formats" : "--no-assert-formats"])
  }

  /// Returns the format of a file if `--rules` or the project file name it, or `nil` if it is detected. Rules without a format are an
  /// error.
  func format(_ name: String?, for file: String) throws -> BackupFormat? {
    switch try rules(name, for: file) {
    case .detected: return nil
    case .format(let format): return format
    case .document(_, let name):
      Output.printError("\(name) doesn't describe a format: it has no backup with a name")
      throw ExitStatus.usage
    }
  }

  /// Returns the rules that `--rules` names: a format, or a document. A document that describes a backup is a format, too.
  ///
  /// Prints errors in them, and throws the exit status. Prints how many of them are not applied.
  func rules(named name: String) throws -> RuleSource {
    guard let format = catalog[name] else { return try read(name).source }
    Output.printNotice(of: ownFormat(name).flatMap { RuleSource.format(format).warnings(of: $0.file.string) })
    return .format(format)
  }

  /// Returns the format that `--rules` names. Rules without a format are an error.
  func format(named name: String) throws -> BackupFormat {
    guard let format = try format(name, for: "-") else { preconditionFailure("formats that are named are not detected") }
    return format
  }

  /// Returns the named rules with their source: the text of the rule document, and the files that it refers to. A built-in format has
  /// no document.
  ///
  /// Prints errors, and throws the exit status.
  func read(_ name: String) throws -> (source: RuleSource, text: [UInt8]?, files: [FilePath]) {
    let path = document(ofRules: name)
    let isGiven = path == name
    let name = path
    if isGiven, let format = catalog[name] { return (.format(format), nil, []) }
    let shownName = FileSource.name(ofArgument: name)
    do throws(CofferError) {
      let file = try FileSource(argument: name, cancellation: nil)
      let (document, text) = try reading.document(file, named: name)
      let source: RuleSource =
        document.describesFormat ? .format(try BackupFormat(document)) : .document(document, name: shownName)
      if isGiven, case .format(let format) = source { Run.note(givenFormat: format.name) }
      Output.printNotice(of: source.warnings(of: shownName))
      return (source, text, document.referencedFiles)
    } catch {
      if error.code == .notFound {
        Output.printError("there is no format '\(name)' and no such file\(catalog.hint(for: name))")
      } else if error.code != .invalidRules, let place = error.place.position {
        Output.printError("\(shownName):\(place.line):\(place.column): the rules are not JSON: \(error.message)")
      } else {
        Output.printError(error.text(inputs: [shownName], rules: shownName))
      }
    }
    throw ExitStatus.usage
  }

  /// Returns the format with a name if it is not built in.
  func ownFormat(_ name: String) -> OwnFormat? { ownFormats.first { $0.format.name == name } }

  /// Returns the path of the document of rules: that of a format that is not built in, and else what was named.
  func document(ofRules name: String) -> String { ownFormat(name)?.file.string ?? name }

  /// The options for a rule document.
  ///
  /// - Parameter name: its path; `-`, standard input, has no folder.
  func options(ofRulesAt name: String) -> RuleDocument.Options { reading.options(ofRulesAt: name) }

  /// Returns the syntax of a rule document. Standard input and built-in formats are JSON.
  func syntax(ofRulesAt name: String) -> RuleSyntax {
    name == "-" || catalog[name] != nil ? .json : reading.options(ofRulesAt: name).syntax(of: FilePath(name))
  }

  /// The rule documents that the run reads for the project.
  var documents: [String] {
    ownFormats.map(\.file.string) + [project?.path.string].compactMap(\.self)
      + assigned.values.compactMap { if case .document(_, let name) = $0 { name } else { nil } }
  }

  /// Returns what the rules of validated documents say and validation doesn't apply. Says if rules that the user names check nothing.
  ///
  /// - Parameter rules: the name of the source, if the user names rules.
  func warnings(of source: RuleSource?, named rules: String?, on reports: [ValidationReport]) -> RuleWarnings? {
    guard let rules else { return warnings(ofUsed: reports.map(\.format)) }
    let warnings = source?.warnings(of: FileSource.name(ofArgument: document(ofRules: rules)))
    if warnings?.notApplied ?? 0 == 0,
      reports.allSatisfy({ $0.error == nil && $0.format != nil && $0.checkedRules.isEmpty })
    {
      Output.printNotice("coffer: the rules accept every document")
    }
    return warnings
  }

  /// Returns what used rules say and validation doesn't apply, of the first rules that have any. Prints how many that are, as for rules
  /// that the user names.
  ///
  /// - Parameter names: the names of rules in reports.
  private func warnings(ofUsed names: [String?]) -> RuleWarnings? {
    let names = Set(names.compactMap(\.self))
    let formats = ownFormats.filter { names.contains($0.format.name) }.map { (RuleSource.format($0.format), $0.file.string) }
    let documents = assigned.values.compactMap { source -> (RuleSource, String)? in
      if case .document(_, let name) = source, names.contains(name) { (source, name) } else { nil }
    }
    let warnings = (formats + documents.sorted { $0.1 < $1.1 }).compactMap { $0.warnings(of: $1) }
    for warning in warnings { Output.printNotice(of: warning) }
    return warnings.first { $0.notApplied > 0 } ?? warnings.first
  }
}

extension Inspection.FormatIdentity {
  /// The name in reports.
  var name: String? {
    switch self {
    case .known(let name, _, _, _), .rules(let name): name
    case .unknown, .ambiguous: nil
    }
  }
}

/// The values of files, of which those with the same rules have one.
struct FileValues<Value> {
  fileprivate(set) var all: [Value] = []
  fileprivate var indices: [String: Int] = [:]

  func map<Other>(_ body: (Value) throws -> Other) rethrows -> FileValues<Other> {
    FileValues<Other>(all: try all.map(body), indices: indices)
  }

  /// - Parameter file: one of the files.
  subscript(file: String) -> Value { all[indices[file] ?? 0] }
}

extension FileValues: Sendable where Value: Sendable {}

/// How rule documents are read: those of a project only with the files in its folder.
private struct RuleReading {
  let arguments: RuleArguments
  let project: ProjectFile?

  /// - Parameter name: the rule document's path; `-`, standard input, has no folder.
  func options(ofRulesAt name: String) -> RuleDocument.Options {
    var options = arguments.options(ofRulesAt: name)
    guard name != "-", let project, let file = FilePath(name).real, let folder = project.folder.real,
      file.starts(with: folder), arguments.refs == nil
    else { return options }
    options.referenceFolder = project.folder
    options.confinement = project.folder
    return options
  }

  /// Reads a rule document, which may be compressed.
  ///
  /// - Returns: the document and its text.
  func document(_ file: FileSource, named name: String) throws(CofferError) -> (document: RuleDocument, text: [UInt8]) {
    let options = options(ofRulesAt: name)
    let text = try RuleDocument.text(of: file)
    return (try RuleDocument(MemorySource(text), syntax: options.syntax(of: FilePath(name)), options: options), text)
  }

  /// Reads a rule document that the configuration names. Its errors have its name.
  func source(at file: FilePath) throws(CofferError) -> RuleSource {
    do throws(CofferError) {
      let document = try document(FileSource(path: file), named: file.string).document
      return document.describesFormat ? .format(try BackupFormat(document)) : .document(document, name: file.string)
    } catch {
      throw error.inDocument(file.string)
    }
  }

  func format(at file: FilePath) throws(CofferError) -> BackupFormat {
    guard case .format(let format) = try source(at: file) else {
      throw CofferError(
        .invalidRules, "the rules describe no format: they have no backup with a name", at: .init(document: file.string))
    }
    return format
  }
}

extension FileUse {
  /// Finds what configures the run, and prints what the user should know about that. Prints errors, and throws the exit status.
  func configuration() throws -> Configuration {
    guard let ruleArguments else { preconditionFailure("a verb with rules has the options for reading them") }
    let configuration = try Self.printing(inputs) { () throws(CofferError) in try Configuration(of: inputs, ruleArguments) }
    Run.note(
      project: configuration.project?.path.string,
      ownFormats: configuration.ownFormats.map { ($0.format.name, $0.file.string) })
    for notice in configuration.notices { Run.printOnce(notice) }
    if !updatesRules {
      for output in [output, updated].compactMap(\.self) + reports
      where output != "-" && configuration.documents.contains(where: { FileComparison.isSameFile($0, output) }) {
        Output.printError("\(output) contains rules to read: choose another output name")
        throw ExitStatus.usage
      }
    }
    return configuration
  }

  /// Reads the project file alone.
  func project() throws -> ProjectFile? {
    if ruleArguments?.noConfig != false { return nil }
    return try Self.printing(inputs) { () throws(CofferError) in try ProjectFile.of(inputs) }
  }

  private static func printing<R>(_ inputs: [String], _ body: () throws(CofferError) -> R) throws -> R {
    do { return try body() } catch {
      Output.printError(error.text(inputs: inputs.map(FileSource.name(ofArgument:)), rules: ProjectFile.name))
      throw ExitStatus.usage
    }
  }
}
