import Coffer
import RulesYAML
import SystemPackage

extension RuleArguments {
  /// Returns the rules that `--rules` names: a format, or a document. A document that describes a backup is a format, too.
  ///
  /// Prints errors in them, and throws the exit status. Prints how many of them are not applied.
  func rules(named name: String) throws -> RuleSource { try read(name).source }

  /// Does the same, and returns the text of a document, and the files that it refers to.
  func read(_ name: String) throws -> (source: RuleSource, text: [UInt8]?, files: [FilePath]) {
    let catalog = FormatCatalog.builtIn
    if let format = catalog[name] { return (.format(format), nil, []) }
    let shownName = FileSource.name(ofArgument: name)
    do throws(CofferError) {
      let file = name == "-" ? FileSource.standardInput() : try FileSource(path: FilePath(name))
      let (document, text) = try document(file, named: name)
      let source: RuleSource =
        document.describesFormat ? .format(try BackupFormat(document)) : .document(document, name: shownName)
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

  /// Reads a rule document, which may be compressed.
  ///
  /// - Returns: the document and its text.
  func document(_ file: FileSource, named name: String) throws(CofferError) -> (document: RuleDocument, text: [UInt8]) {
    let text = try RuleDocument.text(of: file)
    let options = options(ofRulesAt: name)
    return (try RuleDocument(MemorySource(text), syntax: syntax(ofRulesAt: name), options: options), text)
  }

  /// Returns the syntax of a rule document. Standard input and formats are JSON.
  func syntax(ofRulesAt name: String) -> RuleSyntax {
    name == "-" || FormatCatalog.builtIn[name] != nil ? .json : options(ofRulesAt: name).syntax(of: FilePath(name))
  }

  /// Returns the format that `--rules` names. Rules without a format are an error.
  func format(named name: String) throws -> BackupFormat {
    if case .format(let format) = try rules(named: name) { return format }
    Output.printError("\(FileSource.name(ofArgument: name)) doesn't describe a format: it has no backup with a name")
    throw ExitStatus.usage
  }
}
