public import ArgumentParser
import ByteStreams
public import Coffer
import Findings
import Platform
import Rules
import SystemPackage

/// A verb that evaluates rules, with the options that decide the result.
protocol EvaluatingVerb: ReadingVerb {
  var evaluation: EvaluationArguments { get }
  var inputFormatArgument: InputFormatArgument { get }
  var findingArguments: FindingArguments { get }
  var onlyArgument: OnlyArgument { get }
}

extension EvaluatingVerb {
  /// Throws if the options contradict each other.
  func checkEvaluation() throws {
    guard onlyArgument.selection != nil else { return }
    try evaluation.checkRulesApply()
    if evaluation.each != nil { throw ValidationError("--each and --only can't be combined: each item is one document") }
  }

  /// The options for a validation. Threads, cancellation and progress are the caller's.
  func validationOptions() -> ValidationOptions {
    var options = ValidationOptions(now: clock.instant)
    options.syntax = inputFormatArgument.inputFormat
    options.maximumFindings = findingArguments.limit()
    options.redacts = findingArguments.redact
    options.only = onlyArgument.selection
    options.duplicateKeys = evaluation.duplicateKeys
    return options
  }
}

/// How rules are evaluated, and which.
struct EvaluationArguments: ParsableArguments {
  @Option(
    .rules,
    "The rules: a format's name (see: coffer formats), or a rule document in JSON or YAML; - is standard input (default: detected)."
  )
  var rules: String?

  @Option(
    .backup.named("pointer"),
    "Apply the rules to each value of JSON Lines, or each item of this array, such as /expenses, as a document of its own (default: the whole file)."
  )
  var each: String?

  @Flag(help: "Check only the syntax; apply no rules.")
  var syntaxOnly = false

  @Option(help: "How to treat duplicate keys in an object.")
  var duplicateKeys = ValidationOptions.DuplicateKeys.warn

  func validate() throws {
    if rules != nil { try checkRulesApply() }
    if each != nil, rules == nil { throw ValidationError("--each needs --rules: formats of items are not detected") }
  }

  /// Throws with `--syntax-only`, because another option needs rules.
  func checkRulesApply() throws {
    if syntaxOnly { throw ValidationError("--syntax-only applies no rules: it can't be combined with --rules or --only") }
  }

  /// Returns the rules. Prints errors in them, and throws the exit status.
  func ruleSource(_ ruleArguments: RuleArguments) throws -> RuleSource {
    if syntaxOnly { return try .syntaxOnly() }
    guard let rules else { return .detected(.builtIn) }
    return try eachItem(by: try ruleArguments.rules(named: rules))
  }

  /// The rules of a plan, which has their text. Prints errors in them, and throws the exit status.
  func plannedRules(_ ruleArguments: RuleArguments) throws -> (source: RuleSource, format: String?, own: SplitPlan.OwnRules?) {
    let options = ruleArguments.options(ofRulesAt: rules ?? "-")
    if syntaxOnly {
      let own = SplitPlan.OwnRules(name: RuleSource.syntaxOnlyName, text: RuleDocument.syntaxOnlyText, options)
      return (try .syntaxOnly(), nil, own)
    }
    guard let rules else { return (.detected(.builtIn), nil, nil) }
    let (source, text, paths) = try ruleArguments.read(rules)
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
        && rest.first.map { $0.hasPrefix("/") && (access($0, F_OK) != 0 || FileComparison.isFolder($0)) } ?? false
      result[result.count - 1] = "--each=" + (hasValue ? rest.removeFirst() : root)
    }
    return result + rest
  }
}

extension ValidationOptions.DuplicateKeys: ExpressibleByArgument {}
