import BackupFormats
public import ByteStreams
import CompressedStreams
public import Findings
import JSONEvents
public import Rules
import Synchronization

/// The result of checking a rule document: its errors and warnings.
///
/// The document is validated like any other, against the meta-schema that its `$schema` names, and then compiled. Errors that
/// only compiling reveals are findings with the code `rule`. Errors are exactly what makes a validation refuse the rules: if they
/// can be used, what only the meta-schema refuses is a warning, and so is what validation doesn't apply (`RuleDocument.warnings`) and
/// what can't mean what it says (`RuleLint`).
///
/// For example:
///
///     let check = RuleCheck(try FileSource(path: "rules.json"), named: "rules.json")
///     check.report.findings.first?.message        // this member is not allowed; did you mean 'type'?
///
/// Memory: up to about forty times the document's size, which is limited to 32 MiB.
public struct RuleCheck: Sendable {
  /// The findings, in document order; or why the document can't be read.
  public var report: ValidationReport
  /// True if validation accepts the rules.
  public private(set) var isUsable = false
  /// The format that the rules describe, if they can be used and describe one.
  package private(set) var format: BackupFormat?

  /// Reads `source` to its end.
  ///
  /// - Parameters:
  ///   - source: the document.
  ///   - name: its name in the report.
  ///   - syntax: its syntax.
  ///   - options: the options for reading it.
  ///   - maximumFindings: the maximum number of findings to keep in detail; all are counted.
  public init(
    _ source: some ByteSource, named name: String, syntax: RuleSyntax = .json,
    options: RuleDocument.Options = RuleDocument.Options(), maximumFindings: Int = 1000
  ) {
    report = ValidationReport(file: name)
    var collector = FindingCollector(limit: maximumFindings)
    do {
      let original = try RuleDocument.text(of: source)
      let value = try syntax.read(MemorySource(original))
      // Other syntaxes are validated as the equivalent JSON; the findings' places are those in the original text.
      let isJSON = syntax.endings == RuleSyntax.json.endings
      let uri = MetaSchema.uri(for: value)
      let metaSchema = Result { try Self.validator(by: uri, options, maximumFindings) }
      if case .success(let validator) = metaSchema {
        report = try Self.validate(isJSON ? original : Array(value.text.utf8), named: name, by: validator)
        moveFindings(to: value, isJSON: isJSON)
      }
      do {
        let document = try RuleDocument(checking: value, options: options)
        collector.add(document.warnings.map(Self.located), of: document.warningCounts)
        // Each has a place of its own in the rules: they share by their codes.
        for warning in RuleLint.findings(in: document) { collector.add(Self.located(warning), by: warning.rule.kind) }
        for error in document.errors { report.removeRepetitions(of: error) }
        let errors = document.errors.filter { error in !report.findings.contains { $0.tells(of: error.place) } }
        errors.forEach { collector.add(Self.finding($0, .error)) }
        collector.count(document.errorCount - document.errors.count, FindingRule(severity: .error, code: "rule"))
        _ = try document.compiled()
        if document.errors.isEmpty {
          if document.describesFormat { format = try BackupFormat(document) }
          isUsable = true
          tolerateErrors()
          // A custom meta-schema that can't be used doesn't matter to validation, either.
          if case .failure(let error) = metaSchema { collector.add(Self.finding(CofferError(reporting: error), .warning)) }
        }
      } catch {
        let error = CofferError(reporting: error)
        if error.code != .invalidRules {
          report.error = error
        } else if !report.findings.contains(where: { $0.tells(of: error.place) }) {
          collector.add(Self.finding(error, .error))
        }
      }
      collector.add(report.findings, of: report.counts)
    } catch {
      let error = CofferError(reporting: error)
      if error.code == .invalidRules { collector.add(Self.finding(error, .error)) } else { report.error = error }
    }
    report.counts = collector.counts
    report.findings = collector.findings()
    // The places in a meta-schema say less than those of the findings.
    for index in report.checkedRules.indices {
      (report.checkedRules[index].places, report.checkedRules[index].expectation) = ([], nil)
    }
    report.ruleValues = nil
    report.checkedRules += Self.codes.map { CheckedRule(code: $0, keyword: $0, severity: .warning) }
  }

  /// The codes of findings that no meta-schema gives.
  private static let codes =
    ["rule", "ignored-keyword", "ignored-sibling", "ignored-format", "unasserted-format"] + RuleLint.codes

  /// Returns the result with further findings. Errors make the rules unusable.
  package func adding(_ findings: [Finding]) -> RuleCheck {
    var result = self
    for finding in findings {
      if finding.severity == .error { result.isUsable = false }
      result.report.findings.append(finding)
      result.report.counts.add(1, finding.rule)
    }
    return result
  }

  /// Creates the result for a rule document that can't be opened.
  public init(unreadable name: String, _ error: CofferError) {
    report = ValidationReport(file: name)
    report.error = error
  }

  /// Validators for the built-in meta-schemas by URI and number of findings, compiled once.
  private static let validators = Mutex<[String: [Int: Validator]]>([:])

  private static func validator(
    by uri: String, _ ruleOptions: RuleDocument.Options, _ maximumFindings: Int
  ) throws -> Validator {
    if let validator = validators.withLock({ $0[uri]?[maximumFindings] }) { return validator }
    var options = ValidationOptions(now: Instant(seconds: 0))
    options.maximumFindings = maximumFindings
    options.syntax = .json
    options.slices = nil
    let validator = Validator(.document(try MetaSchema.rules(named: uri, options: ruleOptions), name: uri), options: options)
    if MetaSchema.isBuiltIn(uri) {
      try validator.prepare()
      validators.withLock { $0[uri, default: [:]][maximumFindings] = validator }
    }
    return validator
  }

  private static func validate(_ bytes: [UInt8], named name: String, by validator: Validator) throws -> ValidationReport {
    var report = try validator.validate(MemorySource(bytes), named: name)
    // The lists in a rule document are not records.
    report.records = 0
    return report
  }

  /// Moves the meta-schema's findings to the values' places in the original text. Findings about disallowed members get the
  /// places of the keys, like compile errors.
  private mutating func moveFindings(to root: JSONValue.Located, isJSON: Bool) {
    for index in report.findings.indices {
      let finding = report.findings[index]
      let isOfKey = ["additionalProperties", "unevaluatedProperties"].contains(finding.keyword) || finding.code == "older-draft"
      if isJSON, !isOfKey { continue }
      let place = finding.place
      var value = root
      var position = root.position
      for token in place.pointer.pointerTokens ?? [] {
        // A missing member gets its object's place.
        if let member = value.object?.last(where: { $0.key == token }) {
          value = member.value
          position = isOfKey ? member.keyPosition : value.position
        } else if let item = Int(token).flatMap({ value.item(at: $0) }) {
          value = item
          position = value.position
        } else {
          break
        }
      }
      report.findings[index].place = Place(pointer: place.pointer, at: position)
    }
    report.findings.sort()
  }

  /// Turns the meta-schema's errors into warnings.
  private mutating func tolerateErrors() {
    for index in report.findings.indices where report.findings[index].severity == .error {
      report.findings[index].severity = .warning
    }
    report.counts = report.counts.byRule.reduce(into: FindingCounts()) { counts, entry in
      var rule = entry.key
      rule.severity = min(rule.severity, .warning)
      counts.add(entry.value, rule)
    }
  }

  /// Returns a finding of the reader. One about another document that the rules refer to gets the place of the start, and its own
  /// place in the message, because a report is about one file.
  private static func located(_ finding: Finding) -> Finding {
    if finding.schemaLocation == finding.place.pointer { return finding }
    var finding = finding
    let location = finding.schemaLocation.split(separator: "#", maxSplits: 1).first ?? ""
    finding.message = "\(location):\(finding.place.line):\(finding.place.column): \(finding.message)"
    finding.place = .start
    return finding
  }

  /// Returns an error about the rules as a finding. Like ``located(_:)``, it may be about another document.
  package static func finding(_ error: CofferError, _ severity: Severity) -> Finding {
    let pointer = error.place.pointer ?? ""
    let position = error.place.position ?? TextPosition(offset: 0, line: 1, column: 1)
    var place = Place(pointer: pointer, at: position)
    var message = error.message
    if let document = error.place.document {
      place = .start
      message = "\(document):\(position.line):\(position.column): \(message)"
    }
    return Finding(
      code: (error.underlying as? CofferError)?.code.rawValue ?? "rule", keyword: pointer.pointerTokens?.last ?? "",
      severity: severity, message: message, place: place,
      schemaLocation: "")
  }
}

extension JSONValue.Located {
  fileprivate func item(at index: Int) -> JSONValue.Located? {
    guard let items = array, items.indices.contains(index) else { return nil }
    return items[index]
  }
}

extension ValidationReport {
  /// Removes the findings of a meta-schema at the place of an error, if there are several: each vocabulary refuses the same value.
  fileprivate mutating func removeRepetitions(of error: CofferError) {
    let isRepetition = { (finding: Finding) in finding.severity == .error && finding.place.pointer == error.place.pointer }
    let repetitions = findings.filter(isRepetition)
    guard error.place.document == nil, repetitions.count > 1 else { return }
    findings.removeAll(where: isRepetition)
    let removed = repetitions.reduce(into: [:]) { $0[$1.rule, default: 0] += 1 }
    let all = counts
    counts = FindingCounts()
    for (rule, count) in all.byRule { counts.add(count - removed[rule, default: 0], rule) }
  }
}

extension Finding {
  /// Returns true if the finding tells of an error of reading: it is an error at that place, or one of the two is in the other's value.
  fileprivate func tells(of error: CofferError.Place) -> Bool {
    if severity != .error || error.document != nil { return false }
    let pointer = error.pointer ?? ""
    return place.pointer == pointer || place.offset == (error.position?.offset ?? 0)
      || !pointer.isEmpty && place.pointer.hasPrefix(pointer + "/")
      || !place.pointer.isEmpty && pointer.hasPrefix(place.pointer + "/")
  }
}
