import ByteStreams
import Coffer
import Findings
import Platform
import Rules
import RulesYAML
import SystemPackage

/// The file `coffer.yaml` of a project, in the folder of a backup or above it. It assigns rules to files, so runs need no `--rules`,
/// and sets options of `coffer validate` by their names.
///
///     formats: [rules/trips.yaml]           rule documents that describe formats
///     files:                                the format or the rules of files, by pattern; the last one that matches counts
///       "exports/*.json": trips
///       "*.ndjson": {rules: rules/event.yaml, each: ""}
///     baseline: known.json
///     duplicate-keys: reject
///     fail-on: warning
///     max-errors: [foreign-key=10]
///
/// The author may be a stranger: someone who sends a folder of backups. So the file leads to no file outside its folder, also by a
/// symbolic link, and only to regular ones. It can't make a run write, or read from elsewhere.
struct ProjectFile {
  static let name = "coffer.yaml"

  /// The path in messages and reports: from the current folder if that is in the project or around it.
  let path: FilePath
  /// The folder of the project.
  let folder: FilePath
  /// Rule documents.
  let formats: [FilePath]
  let files: [Files]
  let baseline: FilePath?
  let duplicateKeys: ValidationOptions.DuplicateKeys?
  let failOn: Severity?
  let maxErrors: [ToleratedFindings]?
  /// The given options of `coffer validate`, with their values as text.
  let options: [(name: String, value: String)]

  /// The rules of files.
  struct Files {
    let pattern: PathPattern
    /// A format's name, or a rule document's path.
    let rules: RuleValue
    /// The array whose items are documents.
    let each: String?
  }

  /// A file that says more is refused: each pattern is compared with each path.
  private static let sizeLimit = 64 << 10

  private static let members = ["formats", "files", "baseline", "duplicate-keys", "fail-on", "max-errors"]

  /// Reads the project file of a run, if there is one.
  static func of(_ inputs: [String]) throws(CofferError) -> ProjectFile? {
    try search(for: inputs).path.map { path throws(CofferError) in try ProjectFile(at: path) }
  }

  /// - Throws: `CofferError` with the place of the first fault.
  init(at path: FilePath) throws(CofferError) {
    do { try self.init(Self.read(path), at: path) } catch { throw error.inDocument(path.string) }
  }

  private static func read(_ path: FilePath) throws(CofferError) -> RuleValue {
    // Opening a named pipe would wait for its writer.
    if !FileComparison.isRegularFile(path.string) {
      throw CofferError(.invalidRules, "it is not a regular file", at: .init(document: path.string))
    }
    var source = try FileSource(path: path)
    let text = try source.readPrefix(sizeLimit + 1)
    if text.count > sizeLimit {
      throw CofferError(
        .invalidRules, "it is larger than the limit of \(sizeLimit >> 10) KiB", at: .init(document: path.string))
    }
    // A file without settings: of nothing but comments, for example.
    let lines = String(decoding: text, as: UTF8.self).drop { $0 == "\u{FEFF}" }.split(whereSeparator: \.isNewline)
    let isEmpty = lines.allSatisfy { $0.hasPrefix("---") || $0.drop(while: \.isWhitespace).first ?? "#" == "#" }
    return RuleValue(isEmpty ? JSONValue.Located(.object([])) : try RuleSyntax.yaml.read(MemorySource(text)), at: "")
  }

  private init(_ file: RuleValue, at path: FilePath) throws(CofferError) {
    self.path = path
    folder = path.removingLastComponent().orCurrent
    try file.checkMembers(known: Self.members)
    let folder = folder
    formats =
      try file["formats"]?.expectItems(of: "rule documents").map { item throws(CofferError) in
        try item.expectFile(in: folder)
      } ?? []
    files =
      try file["files"]?.expectMembers(of: "patterns and rules").map { member throws(CofferError) in
        try Files(member)
      } ?? []
    baseline = try file["baseline"].map { value throws(CofferError) in try value.expectFile(in: folder, exists: false) }
    duplicateKeys = try file["duplicate-keys"].map { value throws(CofferError) in
      try value.expectChoice(ValidationOptions.DuplicateKeys.allCases)
    }
    failOn = try file["fail-on"].map { value throws(CofferError) in try value.expectChoice(Severity.mostSevereFirst) }
    let tolerated = try file["max-errors"]?.expectItems(of: "codes and numbers")
    maxErrors = try tolerated?.map { item throws(CofferError) in
      guard let findings = item.string.flatMap(ToleratedFindings.init(argument:)) else {
        throw item.error("expected a code with a number or a share, such as foreign-key=10 or order=0.5%")
      }
      return findings
    }
    options = Self.members.dropFirst(2).compactMap { name in
      file[name].map { (name, $0.items.map { $0.compactMap(\.string).joined(separator: " ") } ?? $0.string ?? "") }
    }
  }

  /// Returns the rules of a file, or `nil` if they are detected.
  func rules(for file: String) -> Files? { index(for: file).map { files[$0] } }

  /// Returns which of `files` has the rules of a file.
  ///
  /// - Parameter file: a path; `-` is standard input.
  func index(for file: String) -> Int? {
    guard file != "-", !files.isEmpty, let folder = folder.real else { return nil }
    let path = FilePath(file)
    // Not the target of a link: what a file is called here decides.
    guard let name = path.lastComponent, var real = path.removingLastComponent().orCurrent.real else { return nil }
    real.append(name)
    guard real.removePrefix(folder) else { return nil }
    let names = real.components.map(\.string)
    return files.lastIndex { $0.pattern.matches(names) }
  }
}

extension ProjectFile.Files {
  fileprivate init(_ member: RuleValue.Member) throws(CofferError) {
    do throws(InvalidPattern) { pattern = try PathPattern(member.key) } catch { throw member.error(error.message) }
    if member.value.isObject {
      try member.value.checkMembers(known: ["rules", "each"], in: "the rules of files")
      guard let rules = member.value["rules"] else { throw member.value.error("'rules' is missing") }
      self.rules = rules
      each = try member.value["each"]?.expectString()
    } else {
      (rules, each) = (member.value, nil)
    }
    _ = try rules.expectText()
  }
}

extension RuleValue {
  /// Reads the path of a regular file of the project, from its folder.
  ///
  /// - Parameter exists: false if there may be no such file.
  func expectFile(in folder: FilePath, exists: Bool = true) throws(CofferError) -> FilePath {
    let text = try expectText()
    let path = folder == "." ? FilePath(text) : folder.pushing(FilePath(text))
    // A link may lead to a file that doesn't exist yet. Then its folder decides.
    let target = AtomicFile.resolved(path)
    let place = target.real ?? target.removingLastComponent().orCurrent.real
    guard !text.utf8.contains(0), !FilePath(text).isAbsolute, FilePath(text).lastComponent?.kind == .regular, let place,
      let folder = folder.real, place.starts(with: folder)
    else {
      if place == nil { throw error("there is no file '\(text)'") }
      throw error("'\(text)' leads out of the folder of \(ProjectFile.name)")
    }
    guard let type = try? path.stat().type else {
      if exists { throw error("there is no file '\(text)'") }
      return path
    }
    if type != .regular { throw error("'\(text)' is not a regular file") }
    return path
  }
}

extension FilePath {
  /// The current folder, if this is the empty path of a file's folder.
  fileprivate var orCurrent: FilePath { isEmpty ? "." : self }
}

// MARK: Finding it

extension ProjectFile {
  /// What a search found.
  struct Search {
    var path: FilePath?
    /// One that counts for nothing, because anyone could have put it there.
    var ignored: FilePath?
  }

  /// Returns the project file of a run: of the first input that has one. It is in the folder of the input, or the nearest one above.
  ///
  /// - Parameter inputs: paths of files and folders. `-`, standard input, and a name without folder are in the current folder.
  /// - Throws: `CofferError` if inputs have different ones.
  static func search(for inputs: [String]) throws(CofferError) -> Search {
    var result = Search()
    var first: (real: FilePath, input: String)?
    var known: Set<FilePath> = []
    for input in inputs.isEmpty ? ["-"] : inputs {
      let path = FilePath(input)
      let start = input == "-" ? "." : FileComparison.isFolder(input) ? path : path.removingLastComponent().orCurrent
      guard known.insert(start).inserted, let folder = start.real else { continue }
      let (found, ignored) = nearest(from: folder)
      result.ignored = result.ignored ?? ignored
      guard let found else { continue }
      guard let other = first else {
        first = (found, input)
        result.path = found.fromCurrentFolder
        continue
      }
      if other.real != found {
        throw CofferError(
          .invalidRules,
          "\(other.input) belongs to \(other.real.fromCurrentFolder), and \(input) to \(found.fromCurrentFolder): a run has one project"
        )
      }
    }
    return result
  }

  private static func nearest(from start: FilePath) -> (found: FilePath?, ignored: FilePath?) {
    var folder = start
    var ignored: FilePath?
    while true {
      let path = folder.appending(name)
      if let file = try? path.stat() {
        if !isForeign(file, in: folder) { return (path, ignored) }
        ignored = ignored ?? path
      }
      if !folder.removeLastComponent() { return (nil, ignored) }
    }
  }

  /// True for a file of another user in a folder for everyone, such as /tmp.
  private static func isForeign(_ file: Stat, in folder: FilePath) -> Bool {
    guard let shared = try? folder.stat(), shared.permissions.contains([.otherWrite, .saveText]) else { return false }
    return file.userID.rawValue != geteuid() && file.userID.rawValue != 0
  }
}

extension FilePath {
  /// An absolute path as a user at the current folder would write it, if the file is below that or in a folder above it.
  fileprivate var fromCurrentFolder: FilePath {
    guard let current = FilePath(".").real else { return self }
    var rest = self
    if rest.removePrefix(current) { return rest }
    guard let name = lastComponent, current.starts(with: removingLastComponent()) else { return self }
    let steps = current.components.count - removingLastComponent().components.count
    return FilePath(root: nil, Array(repeating: Component(".."), count: steps) + [name])
  }
}
