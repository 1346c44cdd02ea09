public import ArgumentParser
import ByteStreams
public import Coffer
import Findings
import Platform
import Rules
import SystemPackage

/// The options that decide the result of a validation, besides the files and the ``ReadingArguments``.
///
/// Those aren't a group inside this one: debug builds of ArgumentParser take four times as long for each level of nested groups.
struct EvaluationArguments: ParsableArguments {
  @Option(
    .rules,
    "The rules: a format's name (see: coffer formats) or a rule document's path; JSON, or YAML if it ends in .yaml or .yml; - is standard input."
  )
  var rules: String?

  @Option(
    .backup.named("pointer"),
    "Apply the rules to each value of JSON Lines, or each item of an array, as a document of its own. A JSON Pointer, such as /expenses, names the array; without one, it is the whole file."
  )
  var each: String?

  @Flag(help: "Check only the syntax; apply no rules.")
  var syntaxOnly = false

  @OptionGroup var inputFormatArgument: InputFormatArgument

  @OptionGroup var findingArguments: FindingArguments

  @Option(help: "How to treat duplicate keys in an object.")
  var duplicateKeys = ValidationOptions.DuplicateKeys.warn

  @OptionGroup var onlyArgument: OnlyArgument

  func validate() throws {
    if syntaxOnly, rules != nil || onlyArgument.selection != nil {
      throw ValidationError("--syntax-only applies no rules: it can't be combined with --rules or --only")
    }
    if each != nil {
      if rules == nil { throw ValidationError("--each needs --rules: formats of items are not detected") }
      if onlyArgument.selection != nil { throw ValidationError("--each and --only can't be combined: each item is one document") }
    }
  }

  /// The options for a validation. Threads, cancellation and progress are the caller's.
  func options(_ reading: ReadingArguments) -> ValidationOptions {
    var options = ValidationOptions(now: reading.clock.instant)
    options.syntax = inputFormatArgument.inputFormat
    options.maximumFindings = findingArguments.limit()
    options.redacts = findingArguments.redact
    options.only = onlyArgument.selection
    options.duplicateKeys = duplicateKeys
    return options
  }

  /// Returns the rules. Prints errors in them, and throws the exit status.
  func ruleSource(_ reading: ReadingArguments) throws -> RuleSource {
    if syntaxOnly { return try .syntaxOnly() }
    guard let rules else { return .detected(.builtIn) }
    return try eachItem(by: try reading.ruleArguments.rules(named: rules))
  }

  /// The rules of a plan, which has their text. Prints errors in them, and throws the exit status.
  func plannedRules(_ reading: ReadingArguments) throws -> (source: RuleSource, format: String?, own: SplitPlan.OwnRules?) {
    let options = reading.ruleArguments.options(ofRulesAt: rules ?? "-")
    if syntaxOnly { return (try .syntaxOnly(), nil, SplitPlan.OwnRules(name: "syntax only", text: "true", options)) }
    guard let rules else { return (.detected(.builtIn), nil, nil) }
    let (source, text, paths) = try reading.ruleArguments.read(rules)
    var files: [String: String] = [:]
    for path in paths {
      var file = try FileSource(path: path)
      files[path.string] = String(decoding: try file.readPrefix(RuleDocument.sizeLimit + 1), as: UTF8.self)
    }
    let own = text.map {
      SplitPlan.OwnRules(
        name: FileSource.name(ofArgument: rules), text: String(decoding: $0, as: UTF8.self), files: files, options)
    }
    return (try eachItem(by: source), own == nil ? rules : nil, own)
  }

  // MARK: Each item

  /// The value of `--each` for the root, because ArgumentParser takes the next word if a value is empty.
  private static let root = "."

  /// The array whose items are documents, as a JSON Pointer.
  var eachPointer: String? { each == Self.root ? "" : each }

  private func eachItem(by rules: RuleSource) throws(CofferError) -> RuleSource {
    if let eachPointer { try rules.forEachItem(of: eachPointer) } else { rules }
  }

  /// Writes `--each` without a value as `--each=.`: ArgumentParser has no options whose value may be missing. The next word is the
  /// value if it begins with a slash, unless it is the path of a file. (A folder can't be validated.)
  static func withValueOfEach(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" { break }
      guard argument == "--each" || argument == "--each=" else { continue }
      let hasValue =
        argument == "--each"
        && rest.first.map { $0.hasPrefix("/") && (access($0, F_OK) != 0 || Output.isFolder($0)) } ?? false
      result[result.count - 1] = "--each=" + (hasValue ? rest.removeFirst() : root)
    }
    return result + rest
  }
}

extension ValidationOptions.DuplicateKeys: ExpressibleByArgument {}
