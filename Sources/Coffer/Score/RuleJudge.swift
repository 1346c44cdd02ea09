import ByteStreams
import Findings
import JSONEvents
import Rules

/// Says whether a mutation is found by the rules, or by the draft.
struct RuleJudge: Sendable {
  struct Baseline: Sendable {
    let rules: FindingCounts
    let draft: FindingCounts
    let bounds: FindingCounts
    /// The rules' findings.
    let findings: [Finding]
  }

  /// More than a sample has values in records with findings.
  private static let findingLimit = 100_000

  let name: String
  let documents: [RuleDocument]
  private let tested: Validator
  private let drafted: Validator
  /// A value with a finding about a bound has none about its key, so that bounds are asked alone.
  private let bounded: Validator
  private let draft: JSONValue.Located

  init(_ rules: RuleSource, _ draft: RuleDraft, _ options: ValidationOptions) throws {
    let draftDocument = try RuleDocument(draft.document.withoutBounds)
    self.draft = draft.document
    switch rules {
    case .detected: throw CofferError(.invalidRules, "rules to test must be named: they are not detected")
    case .format(let format): (name, documents) = (format.name, [format.rules, draftDocument])
    case .document(let document, let name): (self.name, documents) = (name, [document, draftDocument])
    }
    var options = options
    options.maximumFindings = Self.findingLimit
    options.errorLimit = 1000
    options.execution.jobs = 1
    options.execution.progress = nil
    options.addsPlaces = false
    options.explainsKeys = false
    options.baseline = nil
    options.runsSQLChecks = true
    tested = Validator(rules, options: options)
    options.duplicateKeys = .allow
    drafted = Validator(.document(draftDocument, name: "draft"), options: options)
    bounded = Validator(.document(try RuleDocument(draft.document), name: "draft"), options: options)
    try tested.prepare()
  }

  var validators: [Validator] { [tested, drafted] }

  func baseline(of sample: DocumentSample) throws -> Baseline {
    let report = try tested.validate(sample.opened).report
    if let error = report.error { throw error }
    return Baseline(
      rules: report.counts, draft: try drafted.validate(sample.opened).report.counts,
      bounds: try bounded.validate(sample.opened).report.counts, findings: report.findings)
  }

  func outcome(of mutation: Mutation, in sample: DocumentSample, _ baseline: Baseline) throws -> MutationOutcome {
    let text = Array(sample.text[..<mutation.range.lowerBound]) + mutation.text.utf8 + sample.text[mutation.range.upperBound...]
    let document = OpenedDocument(MemorySource(text), named: "sample.json", in: sample.container)
    let report = try tested.validate(document).report
    if report.error != nil || report.counts.byRule.contains(where: { $0.value > baseline.rules.byRule[$0.key] ?? 0 }) {
      return .caught
    }
    if mutation.kind == .future { return mutation.isAfterAll ? .missed(keyword: "formatMaximum", location: "") : .allowed }
    let isAboutBounds = [.range, .unit].contains(mutation.kind)
    let counts = try (isAboutBounds ? bounded : drafted).validate(document).report.counts.byRule
    let known = (isAboutBounds ? baseline.bounds : baseline.draft).byRule
    let remedies = counts.keys.sorted().filter { counts[$0] ?? 0 > known[$0] ?? 0 }.map {
      (keyword: Self.keyword(at: $0.schemaLocation), location: $0.schemaLocation)
    }.filter { isRemedy($0.keyword, $0.location, for: mutation.kind) }
    // A key that has another type is no key of a record, either.
    if let remedy = remedies.first(where: { ["type", "required"].contains($0.keyword) }) ?? remedies.first {
      return .missed(keyword: remedy.keyword, location: remedy.location)
    }
    return .allowed
  }

  /// Returns the keyword at a place of the draft, which has one kind of subschema without a keyword of its own: that of unknown members.
  private static func keyword(at location: String) -> String {
    let name = location.pointerTokens?.last { Int($0) == nil } ?? ""
    return name == "not" ? "additionalProperties" : name
  }

  /// True if a keyword finds this kind of defect in general: a bound may find a wrong key by chance.
  private func isRemedy(_ keyword: String, _ location: String, for kind: MutationKind) -> Bool {
    let value = draft.value(at: location.pointerTokens ?? [])
    let isBound = ["minimum", "maximum", "formatMinimum", "formatMaximum"].contains(keyword)
    let isRelation = value?.object != nil
    switch kind {
    case .type, .missing, .null, .exchange, .omission, .repetition: return !isBound || isRelation
    case .range, .unit: return isBound && !isRelation || keyword == "enum"
    case .value: return keyword == "enum"
    case .format: return keyword == "format"
    case .text: return ["enum", "format"].contains(keyword)
    case .duplicate: return ["primaryKey", "uniqueKeys"].contains(keyword)
    case .reference: return keyword == "foreignKeys"
    case .total: return ["countOf", "sumOf"].contains(keyword)
    case .order: return isBound && isRelation
    case .future: return false
    case .unknown: return keyword == "additionalProperties"
    }
  }
}

extension JSONValue.Located {
  /// Drafted rules without bounds, except for those that are other values.
  fileprivate var withoutBounds: Self {
    if let items = array { return Self(.array(items.map(\.withoutBounds))) }
    guard let members = object else { return self }
    let kept = members.filter { !["minimum", "maximum", "formatMinimum", "formatMaximum"].contains($0.key) || !$0.value.isBound }
    return .members(kept.map { ($0.key, $0.value.withoutBounds) })
  }

  private var isBound: Bool { number != nil || string != nil }
}
