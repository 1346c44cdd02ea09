import Coffer
import RulesYAML
import SystemPackage

extension RuleArguments {
  /// Returns the rules that `--rules` names: a format, or a document. A document that describes a backup is a format, too.
  ///
  /// Prints errors in them, and throws the exit status.
  func rules(named name: String) throws -> RuleSource {
    let catalog = FormatCatalog.builtIn
    if let format = catalog[name] { return .format(format) }
    let shownName = TransferArguments.name(of: name)
    do {
      if name == "-" { return try rules(in: FileSource.standardInput(), .json, named: shownName) }
      let path = FilePath(name)
      return try rules(in: try FileSource(path: path), options.syntax(of: path), named: name)
    } catch let error as CofferError where error.code == .notFound {
      Output.printError("there is no format '\(name)' and no such file\(catalog.hint(for: name))")
    } catch let error as CofferError {
      if error.code != .invalidRules, let place = error.place.position {
        Output.printError("\(shownName):\(place.line):\(place.column): the rules are not JSON: \(error.message)")
      } else {
        Output.printError(error.text(inputs: [shownName], rules: shownName))
      }
    }
    throw ExitStatus.usage
  }

  /// Returns the format that `--rules` names. Rules without a format are an error.
  func format(named name: String) throws -> BackupFormat {
    if case .format(let format) = try rules(named: name) { return format }
    Output.printError("\(TransferArguments.name(of: name)) doesn't describe a format: it has no backup with a name")
    throw ExitStatus.usage
  }

  private func rules(in source: FileSource, _ syntax: RuleSyntax, named name: String) throws -> RuleSource {
    let document = try RuleDocument(LZ4Source.detecting(source), syntax: syntax, options: options)
    return document.describesFormat ? .format(try BackupFormat(document)) : .document(document, name: name)
  }
}
