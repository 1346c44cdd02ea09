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
  var readerLimits: ReaderLimitArguments { get }
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
    options.limits = readerLimits.limits
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
    "Apply the rules to each value of JSON Lines, or each item of this array or object, such as /expenses, as a document of its own (default: the whole file)."
  )
  var each: String?

  @Flag(help: "Check only the syntax; apply no rules.")
  var syntaxOnly = false

  @Option(help: "How to treat duplicate keys in an object.")
  var duplicateKeys = ValidationOptions.DuplicateKeys.warn

  func validate() throws {
    if rules != nil { try checkRulesApply() }
  }

  /// Throws with `--syntax-only`, because another option needs rules.
  func checkRulesApply() throws {
    if syntaxOnly { throw ValidationError("--syntax-only applies no rules: it can't be combined with --rules or --only") }
  }

  /// Returns the rules of a file. Prints errors in them, and throws the exit status.
  func ruleSource(_ configuration: Configuration, for file: String) throws -> RuleSource {
    if syntaxOnly { return try .syntaxOnly() }
    return try eachItem(by: try configuration.rules(rules, for: file), configuration, file)
  }

  /// The rules of a plan, which has their text. Prints errors in them, and throws the exit status.
  func plannedRules(
    _ configuration: Configuration, for files: [String]
  ) throws -> (source: RuleSource, format: String?, own: SplitPlan.OwnRules?) {
    if syntaxOnly {
      let own = SplitPlan.OwnRules(
        name: RuleSource.syntaxOnlyName, text: RuleDocument.syntaxOnlyText, configuration.options(ofRulesAt: "-"))
      return (try .syntaxOnly(), nil, own)
    }
    guard let rules = try configuration.rulesForOthers(rules, readingAll: files) else {
      return (try eachItem(by: .detected(.builtIn), configuration, "-"), nil, nil)
    }
    let (source, text, paths) = try configuration.read(rules)
    let options = configuration.options(ofRulesAt: rules)
    var texts: [String: String] = [:]
    for path in paths {
      var file = try FileSource(path: path)
      texts[path.string] = String(decoding: try file.readPrefix(RuleDocument.sizeLimit + 1), as: UTF8.self)
    }
    let own = text.map {
      SplitPlan.OwnRules(
        name: FileSource.name(ofArgument: rules), text: String(decoding: $0, as: UTF8.self), files: texts, options)
    }
    return (try eachItem(by: source, configuration, files.first ?? "-"), own == nil ? rules : nil, own)
  }

  // MARK: Each item

  /// The value of `--each` for the root, because ArgumentParser takes the next word if a value is empty.
  private static let root = "."

  /// The array whose items are documents, as a JSON Pointer: what `--each` names, or the project file if it names the rules.
  func eachPointer(_ configuration: Configuration, for file: String) -> String? {
    let each = each ?? (rules == nil && !syntaxOnly ? configuration.project?.rules(for: file)?.each : nil)
    return each == Self.root ? "" : each
  }

  private func eachItem(by rules: RuleSource, _ configuration: Configuration, _ file: String) throws -> RuleSource {
    guard let pointer = eachPointer(configuration, for: file) else { return rules }
    if case .detected = rules { throw ValidationError("--each needs --rules: formats of items are not detected") }
    return try rules.forEachItem(of: pointer)
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
