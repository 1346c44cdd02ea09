import ByteStreams
public import Findings
public import Rules

/// The results of validating documents, with what reports need to know about the run.
///
/// For example:
///
///     var results = ValidationResults(reports, toolVersion: "0.1.0")
///     results.policy.severity = .warning
///     try results.write(as: .sarif, to: &sink)
///
/// A report depends only on these values: no clock, host or folder appears in it.
public struct ValidationResults: Sendable {
  public var reports: [ValidationReport]
  /// The version of Coffer, as in `coffer --version`.
  public var toolVersion: String
  /// Decides which findings make a document fail: that of all reports.
  public var policy: FailurePolicy {
    get { reports.first?.policy ?? FailurePolicy() }
    set { for index in reports.indices { reports[index].policy = newValue } }
  }
  /// True if the documents' values are left out. Fingerprints then don't depend on keys of records, because short ones could be
  /// guessed from them.
  public var isRedacted = false
  /// What the rules say and validation doesn't apply; `nil` if there is nothing.
  public var ruleWarnings: RuleWarnings?
  /// The folder whose files have relative paths in the formats of other programs, which look for them in their repository:
  /// usually the working directory.
  public var folder: String?
  /// When and how the documents were validated, for pages.
  public var run: Run?
  /// What configured the run besides its options, such as `coffer.yaml; trips is rules/trips.yaml`. Formats of findings alone
  /// have no place for it.
  public var configuration: String?
  /// Returns the meaning of a keyword in one sentence, as `KeywordReference.summaries` has it. Text asks only about rules with findings.
  public var keywordSummary: @Sendable (_ keyword: String) -> String? = { _ in nil }

  /// What can't be read off the reports. Only pages show it, because reports for programs are the same whenever they are made.
  public struct Run: Sendable, Equatable {
    public var date: Instant
    /// The command, as it would be typed.
    public var command: String
    /// The time that counted as now for the rules.
    public var now: Instant

    public init(date: Instant, command: String, now: Instant) {
      self.date = date
      self.command = command
      self.now = now
    }
  }

  public init(_ reports: [ValidationReport], toolVersion: String) {
    self.reports = reports
    self.toolVersion = toolVersion
  }
}

/// The results as Coffer's own JSON, after `formatVersion`: `{"redacted": true, "files": [{"file": "a.json", …}], "rules": {…}}`.
/// `redacted` occurs only if it is true, and `rules`, a `RuleWarnings`, only if some rules are not applied.
extension ValidationResults: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "redacted": IfPresent(isRedacted ? true : nil), "files": reports, "rules": IfPresent(ruleWarnings),
    ])
  }
}

/// What a run didn't check: reports say it, so that a green one means checked.
extension ValidationReport {
  /// What the findings don't tell about a document that was not read completely.
  var undecidedNote: String? {
    error == nil || format == nil ? nil : "rules that need the whole document, such as references, were not decided"
  }

  /// True if a rule about the keys or the order of records met an object without records.
  func isUnchecked(_ rule: FindingRule) -> Bool {
    counts.byRule.keys.contains { unchecked in
      guard unchecked.code == "not-checked", rule.code != "not-checked" else { return false }
      if unchecked.schemaLocation == rule.schemaLocation { return true }
      // One finding is about all keywords of the schema; one at a reference may be about its target instead.
      guard let (schema, keyword) = unchecked.recordKeyword, keyword != "foreignKeys" else { return false }
      return rule.recordKeyword?.schema == schema
    }
  }

  /// `no rules for /people (1,204 records)`: the collections that no rule is about. `nil` if there are none, or if not all places of
  /// rules are known.
  var uncheckedNote: String? {
    let rules = checkedRules.filter { !$0.schemaLocation.isEmpty }
    guard error == nil, format != nil, leftOut.isEmpty, !rules.isEmpty,
      rules.allSatisfy({ 1..<CheckedRule.placeLimit ~= $0.places.count })
    else {
      return nil
    }
    let places = Set(rules.flatMap(\.places)).map { $0.split(separator: "/", omittingEmptySubsequences: false) }
    let unchecked = collections.filter { collection in
      let tokens = collection.pointer.split(separator: "/", omittingEmptySubsequences: false)
      return collection.records > 0
        && !places.contains { $0.count >= tokens.count && zip($0, tokens).allSatisfy { $0 == "*" || $0 == $1 } }
    }
    if unchecked.isEmpty { return nil }
    let names = unchecked.prefix(5).map { "\($0.pointer.isEmpty ? "the root" : $0.pointer) (\($0.records.counted("record")))" }
    return "no rules for " + names.joined(separator: ", ")
      + (unchecked.count > 5 ? " and \((unchecked.count - 5).grouped) more" : "")
  }

  /// What was not checked in a document that was read completely.
  var notes: [String] { [syntaxNote, uncheckedNote, unappliedNote].compactMap(\.self) }

  private var syntaxNote: String? {
    detectedSyntax == nil ? nil : "read as a sequence of values, because it begins with a record separator (RFC 7464)"
  }

  /// `3 of 93 rules applied to no value, at /people/*/nmae and 2 more places`: an optional field that no record has, or a misspelled
  /// name. `nil` if all applied to some, or if the document was not read completely.
  var unappliedNote: String? {
    guard error == nil else { return nil }
    let unapplied = checkedRules.filter { values(of: $0) == 0 }
    if unapplied.isEmpty { return nil }
    let note = "\(unapplied.count.grouped) of \(checkedRules.count.counted("rule")) applied to no value"
    // A rule about a container that no value is in doesn't say more than the container's.
    let places = Set(unapplied.lazy.flatMap(\.places).map { $0[...] })
    let outer = places.filter { place in !place.containers.contains(where: places.contains) }
    return note + (outer.isEmpty ? "" : ", at \(RuleSummary.words(for: outer.sorted().map(String.init)))")
  }
}

extension Substring {
  /// The pointers of the containers around the value at this pointer.
  fileprivate var containers: some Sequence<Substring> {
    utf8.indices.lazy.filter { utf8[$0] == UInt8(ascii: "/") }.map { self[..<$0] }
  }
}

extension FindingRule {
  /// The schema and the keyword that needs an array of records: `("/properties/cars", "uniqueKeys")`. `nil` for other rules.
  fileprivate var recordKeyword: (schema: Substring, keyword: Substring)? {
    var tokens = schemaLocation.split(separator: "/", omittingEmptySubsequences: false)
    if let last = tokens.last, String(last).mayBeIndex { tokens.removeLast() }
    guard let keyword = tokens.last, ["primaryKey", "uniqueKeys", "foreignKeys", "sortedBy"].contains(keyword) else { return nil }
    return (schemaLocation[..<keyword.startIndex], keyword)
  }
}

extension ValidationResults {
  /// The number of rules that are not applied, and the first of them: `rules.json: 6 rules are not applied, first at 17:11: …`. `nil` if
  /// all are.
  var notAppliedNote: String? {
    guard let warnings = ruleWarnings, warnings.notApplied > 0 else { return nil }
    let count = warnings.notApplied.counted("rule is", "rules are")
    let first = warnings.findings.first { $0.severity > .note }.map {
      ", first at \($0.place.line):\($0.place.column): \($0.message)"
    }
    return "\(warnings.file): \(count) not applied" + (first ?? "")
  }

  /// True if warnings fail, and rules that are not applied are warnings.
  package var failsByRules: Bool { (ruleWarnings?.notApplied ?? 0) > 0 && policy.severity <= .warning }
}
