import ArgumentParser
import Coffer
import SystemPackage

/// A verb that matches the records of two backups.
protocol ComparingVerb: Verb {
  var comparisonArguments: ComparisonArguments { get }
  var ruleArguments: RuleArguments { get }
  var onlyArgument: OnlyArgument { get }
  var memory: MemoryArgument { get }
  var expansion: ExpansionArguments { get }
  var readerLimits: ReaderLimitArguments { get }
}

extension ComparingVerb {
  func comparisonOptions(_ execution: Execution) -> ComparisonOptions {
    var options = ComparisonOptions()
    options.syntax = comparisonArguments.inputFormat
    options.limits = readerLimits.limits
    options.only = onlyArgument.selection
    for key in comparisonArguments.keys { options.keys[key.pointer] = key.fields }
    options.execution = execution
    memory.apply(to: &options.execution)
    options.execution.expansion = expansion.limits
    return options
  }

  /// The rules of both backups.
  func rules(_ configuration: Configuration, for backups: [String]) throws -> RuleSource {
    try configuration.rules(comparisonArguments.rules, forAll: backups)
  }

  /// The files of a run that compares two backups.
  func use(_ backups: [String]) -> FileUse {
    FileUse(inputs: backups, rules: [comparisonArguments.rules], ruleArguments: ruleArguments)
  }
}

/// How records are matched.
struct ComparisonArguments: ParsableArguments {
  @Option(
    .rules,
    "The format of both, instead of the detected one: a format's name (see: coffer formats) or a rule document's path; - is standard input."
  )
  var rules: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "The key of an array's records, such as /expenses=id or /stays=hotel,night. Without fields after the =, records are compared as whole values. May be repeated.",
      valueName: "pointer=fields"),
    transform: KeyArgument.init(argument:))
  var keys: [KeyArgument] = []

  @Option(
    name: [.customLong("input-format"), .customLong("from")],
    help:
      "The syntax of both: json, ndjson with one value per line, or seq with values one after the other (default: ndjson if the name ends in .ndjson or .jsonl, else json)."
  )
  var inputFormat: JSONSyntax?
}

/// `POINTER=FIELD,FIELD`: a field is a name, or names with slashes between them.
struct KeyArgument {
  let pointer: String
  let fields: [[String]]

  init(argument: String) throws {
    guard let sign = argument.lastIndex(of: "=") else {
      throw ValidationError("expected an array and its fields, such as /expenses=id")
    }
    pointer = String(argument[..<sign])
    guard pointer.isEmpty || pointer.hasPrefix("/") else {
      throw ValidationError(
        "'\(pointer)' is not a JSON Pointer: expected one such as /expenses, or nothing for the document itself")
    }
    let list = argument[argument.index(after: sign)...]
    fields = list.split(separator: ",").map { $0.split(separator: "/").map(String.init) }
    guard fields.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("'\(list)' has a field without a name") }
  }
}

extension Backup {
  /// - Parameter argument: a path; `-` is standard input.
  init(argument: String) {
    if argument == "-" {
      self.init(named: FileSource.standardInputName, source: { FileSource.standardInput() })
    } else {
      self.init(path: argument)
    }
  }
}
