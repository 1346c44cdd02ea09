import BackupFormats
public import ByteStreams
public import Findings
import JSONEvents
import RuleDrafts
public import Rules
public import SystemPackage

/// Tests for rules: documents, and what must be found in them.
///
///     now: 2026-07-01T00:00:00Z                  # the clock of the rules; a case may have its own
///     file: export.json                          # what all cases begin with, or: document: {…}
///     cases:
///       - name: the export as it is
///         valid: true                            # no finding of severity error; false: at least one
///       - name: an expense of no car
///         set: {/expenses/0/carId: 99}           # values by their JSON Pointers; then `remove` takes a list of pointers
///         findings:                              # all findings, whatever their severity
///           - {code: foreign-key, pointer: /expenses/0/carId}
///
/// Names of files are relative to the folder of the cases.
///
/// Memory: that of a case's document, about forty times its size if the case changes it: those are limited to 32 MiB.
public struct RuleCases: Sendable {
  private let cases: [Case]
  private let root: RuleValue
  private let folder: FilePath
  private let now: Instant?

  fileprivate struct Case {
    let value: RuleValue
    let name: String
    let now: Instant?
    let expectation: Expectation
  }

  fileprivate enum Expectation {
    case validity(Bool)
    case findings([Expected])
  }

  fileprivate struct Expected {
    let code: String
    let pointer: String
    let value: RuleValue

    func fits(_ finding: Finding) -> Bool {
      finding.code == code && ExactText(finding.place.pointer) == ExactText(pointer)
    }
  }

  /// Reads cases.
  ///
  /// - Parameters:
  ///   - source: the cases.
  ///   - folder: the folder that names of files are relative to.
  /// - Throws: `invalidRules` with the place of the first fault; errors of reading.
  public init(_ source: some ByteSource, syntax: RuleSyntax = .json, folder: FilePath) throws(CofferError) {
    self.folder = folder
    root = RuleValue(try syntax.read(source), at: "")
    try root.checkMembers(known: ["now", "file", "document", "cases"])
    now = try Self.time(of: root)
    try Self.checkDocument(of: root)
    guard let items = root["cases"] else { throw root.error("'cases' is missing: a list of cases") }
    cases = try items.expectItems(of: "cases", allowsNone: false).map { item throws(CofferError) in try Case(item) }
    var names: [String: RuleValue] = [:]
    for item in cases {
      if names.updateValue(item.value, forKey: item.name) != nil {
        throw item.value.error("two cases have the name '\(item.name)'", at: "name")
      }
      if item.value["file"] == nil, item.value["document"] == nil, root["file"] == nil, root["document"] == nil {
        throw item.value.error("the case has no document: name a 'file', or write a 'document'")
      }
    }
  }

  /// The number of cases.
  public var count: Int { cases.count }

  fileprivate static func time(of value: RuleValue) throws(CofferError) -> Instant? {
    guard let now = value["now"] else { return nil }
    guard let instant = Instant(try now.expectString()) else { throw now.error("expected a time, such as 2026-01-01T00:00:00Z") }
    return instant
  }

  fileprivate static func checkDocument(of value: RuleValue) throws(CofferError) {
    if let file = value["file"] {
      _ = try file.expectText()
      if value["document"] != nil { throw value.error("'file' and 'document' can't be combined", at: "document") }
    }
  }

  /// Runs the cases.
  ///
  /// - Parameters:
  ///   - name: the name of the cases in the report.
  ///   - rules: the rules to test.
  ///   - options: how documents are validated: the clock of cases without a time, and the like. `maximumFindings` limits the report on the
  ///     cases, not what is known about a document.
  /// - Returns: a report on the cases. Each is a rule of the report that applied to one value, with the code `case`; what differs from
  ///   its expectation are findings in the cases.
  /// - Throws: `CofferError`, for example if the rules lack a collection; `CancellationError`.
  public func report(named name: String, testing rules: RuleSource, options: ValidationOptions) throws -> ValidationReport {
    let start = ContinuousClock.now
    var collector = FindingCollector(limit: options.maximumFindings)
    let (clock, limit) = (now ?? options.now, max(Self.knownFindings, options.maximumFindings))
    var options = options
    options.addsPlaces = false
    options.explainsKeys = false
    // A warning about checks in SQL would be a finding of each document.
    options.runsSQLChecks = true
    options.maximumFindings = limit
    let validator = Validator(rules, options: options)
    var report = ValidationReport(file: name)
    var counts: [RuleValues] = []
    for item in cases {
      try options.execution.cancellation.check()
      options.now = item.now ?? clock
      let location = item.value.pointer
      var rule = CheckedRule(
        code: "case", keyword: "cases", severity: .error, schemaLocation: location, places: [item.name])
      rule.isCounted = true
      report.checkedRules.append(rule)
      counts.append(RuleValues(schemaLocation: location, count: 1))
      for (value, message) in try differences(of: item, Validator(validator, options)) {
        collector.add(
          Finding(
            code: "case", keyword: "cases", severity: .error, message: "\(item.name): \(message)",
            place: Place(pointer: value.pointer, at: value.json.position), schemaLocation: location))
      }
    }
    switch rules {
    case .detected: break
    case .format(let format): report.format = format.name
    case .document(_, let name): report.format = name
    }
    report.records = cases.count
    report.ruleValues = counts.sorted { $0.schemaLocation < $1.schemaLocation }
    report.counts = collector.counts
    report.findings = collector.findings()
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return report
  }

  // MARK: One case

  /// The findings of a document that are compared with the expected ones, or more if a report has more.
  private static let knownFindings = 1000

  /// The findings of a document that is wholly different aren't listed.
  private static let shownFindings = 20

  /// Returns what differs from a case's expectation, with the places in the cases.
  private func differences(of item: Case, _ validator: Validator) throws -> [(place: RuleValue, message: String)] {
    let report: ValidationReport
    do {
      report = try validate(item, validator)
    } catch let error as CofferError where error.code == .invalidRules {
      return [(item.value, error.message)]
    }
    if let error = report.error {
      let position = error.place.position.map { " (line \($0.line), column \($0.column))" } ?? ""
      return [(item.value, "the document can't be read: \(error.message)\(position)")]
    }
    if let problem = report.formatProblem { return [(item.value, "the rules don't apply: \(problem.rawValue)")] }
    switch item.expectation {
    case .validity(false):
      return report.counts.count(.error) == 0 ? [(item.value, "no error was found")] : []
    case .validity(true):
      return unexpected(report.findings.filter { $0.severity == .error }, of: report.counts.count(.error), item)
    case .findings(let expected):
      var rest = report.findings
      var missing: [(RuleValue, String)] = []
      for entry in expected {
        if let index = rest.firstIndex(where: entry.fits) {
          rest.remove(at: index)
        } else {
          missing.append((entry.value, "\(entry.code) at \(words(for: entry.pointer)) was not found"))
        }
      }
      return missing + unexpected(rest, of: rest.count + report.notShown, item)
    }
  }

  private func unexpected(_ findings: [Finding], of count: Int, _ item: Case) -> [(place: RuleValue, message: String)] {
    var result = findings.prefix(Self.shownFindings).map { finding in
      (item.value, "unexpected \(finding.code) at \(words(for: finding.place.pointer)): \(finding.message)")
    }
    if count > result.count { result.append((item.value, "\(count - result.count) more unexpected findings")) }
    return result
  }

  private func words(for pointer: String) -> String { pointer.isEmpty ? "the root" : pointer }

  /// - Throws: `invalidRules` if a change of the document can't be made.
  private func validate(_ item: Case, _ validator: Validator) throws -> ValidationReport {
    let owner = item.value["file"] == nil && item.value["document"] == nil ? root : item.value
    let changes = try item.value["set"]?.expectMembers(of: "values") ?? []
    let removals = try item.value["remove"]?.expectNames() ?? []
    if let file = owner["file"]?.string {
      let path = folder.pushing(FilePath(file))
      let source: FileSource
      do throws(CofferError) {
        source = try FileSource(path: path)
      } catch {
        throw CofferError(.invalidRules, error.message)
      }
      if changes.isEmpty, removals.isEmpty { return try validator.validate(source, named: file) }
      var document = try Self.document(at: path, validator)
      try Self.change(&document, changes, removals)
      return try validator.validate(MemorySource(document.text.utf8), named: "document.json")
    }
    var document = owner["document"]?.json ?? JSONValue.Located(.null)
    try Self.change(&document, changes, removals)
    return try validator.validate(MemorySource(document.text.utf8), named: "document.json")
  }

  /// - Throws: `invalidRules` for a document that can't be read and changed.
  private static func document(at path: FilePath, _ validator: Validator) throws -> JSONValue.Located {
    do {
      let options = validator.options
      let backup = try OpenedBackup(path, validator.rules, execution: options.execution, acceptsAnyDocument: true)
      return try JSONValue.read(backup.document().source, limits: options.limits, sizeLimit: JSONValue.sizeLimit)
    } catch let error as CofferError {
      let position = error.place.position.map { " (line \($0.line), column \($0.column))" } ?? ""
      throw CofferError(.invalidRules, "the document can't be read: \(error.message)\(position)")
    }
  }

  private static func change(
    _ document: inout JSONValue.Located, _ changes: [RuleValue.Member], _ removals: [String]
  ) throws(CofferError) {
    for change in changes {
      let tokens = try place(change.key)
      let holder = document.value(at: tokens.dropLast())
      // An object gets a new member; an item must be there, or be the next one.
      if !tokens.isEmpty, holder?.object == nil, document.value(at: tokens) == nil {
        guard let items = holder?.array, tokens.last == String(items.count) || tokens.last == "-" else {
          throw CofferError(.invalidRules, "there is no place \(change.key) to set in the document")
        }
        document = document.setting(
          JSONValue.Located(.array(items + [change.value.json])), at: tokens.dropLast())
        continue
      }
      document = tokens.isEmpty ? change.value.json : document.setting(change.value.json, at: tokens)
    }
    for pointer in removals {
      let tokens = try place(pointer)
      guard !tokens.isEmpty, document.value(at: tokens) != nil else {
        throw CofferError(.invalidRules, "there is nothing at \(pointer) to remove from the document")
      }
      document = document.setting(nil, at: tokens)
    }
  }

  private static func place(_ pointer: String) throws(CofferError) -> [String] {
    guard let tokens = pointer.pointerTokens else {
      throw CofferError(.invalidRules, "'\(pointer)' is no JSON Pointer, such as /expenses/0/carId")
    }
    return tokens
  }
}

extension RuleCases.Case {
  fileprivate init(_ value: RuleValue) throws(CofferError) {
    self.value = value
    try value.checkMembers(
      known: ["name", "now", "file", "document", "set", "remove", "valid", "findings"], in: "a case")
    guard let name = value["name"] else { throw value.error("the case has no 'name'") }
    self.name = try name.expectText()
    now = try RuleCases.time(of: value)
    try RuleCases.checkDocument(of: value)
    switch (value["valid"], value["findings"]) {
    case (let valid?, nil): expectation = .validity(try valid.expectBoolean())
    case (nil, let findings?):
      expectation = .findings(
        try findings.expectItems(of: "codes and pointers").map { item throws(CofferError) in
          try item.checkMembers(known: ["code", "pointer"], in: "an expected finding")
          guard let code = item["code"], let pointer = item["pointer"] else {
            throw item.error("expected a 'code' and a 'pointer'")
          }
          return RuleCases.Expected(code: try code.expectText(), pointer: try pointer.expectString(), value: item)
        })
    case (nil, nil): throw value.error("the case expects nothing: write 'valid', or a list of 'findings'")
    case (_?, _?): throw value.error("'valid' and 'findings' can't be combined", at: "valid")
    }
    for pointer in try value["remove"]?.expectNames() ?? [] where pointer.pointerTokens == nil {
      throw value.error("'\(pointer)' is no JSON Pointer, such as /expenses/0/carId", at: "remove")
    }
    for change in try value["set"]?.expectMembers(of: "values by their places") ?? [] where change.key.pointerTokens == nil {
      throw change.error("'\(change.key)' is no JSON Pointer, such as /expenses/0/carId")
    }
  }
}
