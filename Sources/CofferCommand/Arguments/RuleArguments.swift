import ArgumentParser
import Coffer
import Platform
import Rules
import RulesYAML
import SystemPackage

/// The options for reading rule documents.
struct RuleArguments: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Check all formats, or none (default: as the $schema says).")
  var assertFormats: Bool?

  @Option(
    name: .customLong("map"),
    help: ArgumentHelp(
      "The local folder or file for a URI that rules refer to. May be repeated.",
      valueName: "uri=folder"),
    transform: RuleDocument.Folder.init(argument:))
  var folders: [RuleDocument.Folder] = []

  @Option(.folder, "Let relative references of the rules lead to files in this folder (default: the folder of the rules).")
  var refs: String?

  @Flag(help: "Ignore coffer.yaml, and the formats in your own folder.")
  var noConfig = false

  func validate() throws {
    for (index, folder) in folders.enumerated() where folders[..<index].contains(where: { $0.uri == folder.uri }) {
      throw ValidationError("--map names two folders for '\(folder.uri)'")
    }
    if let refs, access(refs + "/", F_OK) != 0 { throw ValidationError("there is no folder '\(refs)'") }
  }

  /// - Parameter name: the rule document's path; `-`, standard input, has no folder.
  func options(ofRulesAt name: String) -> RuleDocument.Options {
    var options = RuleDocument.Options()
    options.baseFolder = name == "-" ? nil : FilePath(name).removingLastComponent()
    options.referenceFolder = refs.map { FilePath($0) }
    options.formats = assertFormats.map { $0 ? .always : .never } ?? .byDialect
    options.folders = folders
    options.syntaxes = Self.syntaxes
    return options
  }

  /// The syntaxes of rule documents.
  static let syntaxes: [RuleSyntax] = [.json, .yaml]

  /// The rule documents among names of formats and paths of rule documents.
  static func documents(of rules: [String?]) -> [String] {
    let formats = FormatCatalog.builtIn.names
    return rules.compactMap(\.self).filter { !formats.contains($0) }
  }

  /// Throws if an output would replace rules to read: the document, a file that it refers to, or a file that `--map` names or that is
  /// in its folder.
  ///
  /// - Parameters:
  ///   - rules: names of formats and paths of rule documents.
  ///   - outputs: the files that may be written.
  func check(_ rules: [String?], against outputs: [String?]) throws {
    let documents = Self.documents(of: rules)
    if let output = Self.existing(outputs).first(where: { output in documents.contains { FileComparison.isSameFile($0, output) } }
    ) {
      throw Self.conflict(output)
    }
    try checkReferences(of: rules, against: outputs)
  }

  /// Throws if an output would replace what the rules refer to. An output may be one of the rule documents themselves.
  func checkReferences(of rules: [String?], against outputs: [String?]) throws {
    let documents = Self.documents(of: rules).filter { $0 != "-" }
    let existing = Self.existing(outputs).filter { output in !documents.contains { FileComparison.isSameFile($0, output) } }
    if existing.isEmpty { return }
    let files = folders.map(\.path.string) + referencedFiles(of: documents).map(\.string)
    for output in existing
    where files.contains(where: { FileComparison.isSameFile($0, output) })
      || folders.contains(where: { FileComparison.isPath(output, within: $0.path.string) })
    {
      throw Self.conflict(output)
    }
  }

  private static func existing(_ outputs: [String?]) -> [String] {
    outputs.compactMap(\.self).filter { $0 != "-" && access($0, F_OK) == 0 }
  }

  private static func conflict(_ output: String) -> ValidationError {
    ValidationError("\(output) contains rules to read: choose another output name")
  }

  /// The files that rule documents refer to. Invalid documents have none: they are reported when they are used.
  private func referencedFiles(of documents: [String]) -> [FilePath] {
    documents.flatMap { name -> [FilePath] in
      // A pipe can be opened and read only once.
      guard FileComparison.isRegularFile(name), let file = try? FileSource(path: FilePath(name)) else { return [] }
      let options = options(ofRulesAt: name)
      guard let text = try? RuleDocument.text(of: file) else { return [] }
      let document = try? RuleDocument(MemorySource(text), syntax: options.syntax(of: FilePath(name)), options: options)
      return document?.referencedFiles ?? []
    }
  }
}

extension RuleDocument.Folder {
  /// `URI=FOLDER`, at the first `=`.
  fileprivate init(argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { throw ValidationError("expected URI=FOLDER, such as http://example.org/schemas/=schemas") }
    let (uri, folder) = (parts[0], parts[1])
    guard uri.contains(/^[A-Za-z][A-Za-z0-9+.\-]*:/) else {
      throw ValidationError("'\(uri)' is not a URI: it has no scheme, such as http: or urn:")
    }
    guard !uri.contains("#") else { throw ValidationError("'\(uri)' has a fragment: leave out the '#' and everything after it") }
    guard !folder.isEmpty else { throw ValidationError("no folder after '\(uri)='") }
    guard access(folder, F_OK) == 0 else { throw ValidationError("there is no file or folder '\(folder)'") }
    self.init(uri: uri, path: FilePath(folder))
  }
}
