import Coffer
import RulesYAML
import SystemPackage

extension RuleArguments {
  /// Returns the rules that `--rules` names: a format, or a document. A document that describes a backup is a format, too.
  ///
  /// Prints errors in them, and throws the exit status.
  func rules(named name: String) throws -> ValidationRules {
    let catalog = try FormatCatalog.builtIn()
    if let format = catalog[name] { return .format(format) }
    let shownName = TransferArguments.name(of: name)
    do {
      if name == "-" { return try rules(in: FileSource.standardInput(), .json, named: shownName) }
      let path = FilePath(name)
      return try rules(in: try FileSource(path: path), options.syntax(of: path), named: name)
    } catch let error as RuleCompileError {
      Output.complain(error.text(in: shownName))
    } catch let error as JSONReadError {
      Output.complain("\(shownName):\(error.position.line):\(error.position.column): the rules are not JSON: \(error.message)")
    } catch let error as ByteStreamError where error.code == .notFound {
      let names = catalog.names
      Output.complain("there is no format '\(name)' and no such file; the formats are \(names.joined(separator: ", "))")
    } catch {
      Output.complain("\(error)")
    }
    throw ExitStatus.usage
  }

  /// Returns the format that `--rules` names. Rules without a format are an error.
  func format(named name: String) throws -> BackupFormat {
    if case .format(let format) = try rules(named: name) { return format }
    Output.complain("\(TransferArguments.name(of: name)) doesn't describe a format: it has no backup with a name")
    throw ExitStatus.usage
  }

  private func rules(in source: FileSource, _ syntax: RuleSyntax, named name: String) throws -> ValidationRules {
    let document = try RuleDocument(LZ4Source.detecting(source), syntax: syntax, options: options)
    return document.describesFormat ? .format(try BackupFormat(document)) : .document(document, name: name)
  }
}
