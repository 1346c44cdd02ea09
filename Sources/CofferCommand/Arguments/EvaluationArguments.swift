public import ArgumentParser
public import Coffer
import SystemPackage

/// The options that decide the result of a validation, besides the files and the ``ReadingArguments``.
///
/// Those aren't a group inside this one: debug builds of ArgumentParser take four times as long for each level of nested groups.
struct EvaluationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The rules: a format's name (see: coffer formats) or a rule document's path; JSON, or YAML if it ends in .yaml or .yml; - is standard input.",
      valueName: "name-or-file"), completion: .rules)
  var rules: String?

  @OptionGroup var eachArgument: EachArgument

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
    if eachArgument.each != nil {
      if rules == nil { throw ValidationError("--each needs --rules: formats of items are not detected") }
      if onlyArgument.selection != nil { throw ValidationError("--each and --only can't be combined: each item is one document") }
    }
  }

  /// Throws if standard input would be read twice, or an output would replace rules.
  func check(_ files: [String], against outputs: [String?], _ reading: ReadingArguments) throws {
    if (files + [rules].compactMap(\.self)).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    try reading.ruleArguments.check([rules], against: outputs)
  }

  /// The options for a validation. Threads, cancellation and progress are the caller's.
  func options(_ reading: ReadingArguments) -> ValidationOptions {
    var options = ValidationOptions(now: reading.clock.instant)
    options.syntax = inputFormatArgument.syntax
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
    return try eachArgument.apply(try reading.ruleArguments.rules(named: rules))
  }

  /// The name of an option that was given, or `nil` if all have their defaults.
  func givenOption(_ reading: ReadingArguments) -> String? {
    if rules != nil { return "--rules" }
    if eachArgument.each != nil { return "--each" }
    if syntaxOnly { return "--syntax-only" }
    if inputFormatArgument.syntax != nil { return "--input-format" }
    if findingArguments.maxFindings != nil { return "--max-findings" }
    if reading.clock.now != nil { return "--now" }
    if reading.memory.memoryLimit != nil { return "--memory-limit" }
    if reading.expansion.limits.size != ExpansionLimits().size { return "--max-size" }
    if reading.expansion.limits.ratio != ExpansionLimits().ratio { return "--max-ratio" }
    if duplicateKeys != .warn { return "--duplicate-keys" }
    if onlyArgument.selection != nil { return "--only" }
    if let flag = reading.ruleArguments.givenFormatFlag { return flag }
    if !reading.ruleArguments.folders.isEmpty { return "--map" }
    if reading.ruleArguments.refs != nil { return "--refs" }
    return findingArguments.redact ? "--redact" : nil
  }
}

extension ValidationOptions.DuplicateKeys: ExpressibleByArgument {}

extension EvaluationArguments {
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
    return (try eachArgument.apply(source), own == nil ? rules : nil, own)
  }
}
