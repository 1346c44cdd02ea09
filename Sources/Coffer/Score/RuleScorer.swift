import BackupFormats
import ByteStreams
import Findings
import JSONEvents
import Pipelines
import RuleDrafts
import Rules
public import SystemPackage

/// Tests rules with mutations: plants one defect at a time in a user's own backups, and counts what the rules let pass.
///
///     backups ─┬─▶ draft: the rules that the backups support ───────────────┐
///              └─▶ samples ─▶ one defect each ─▶ validated by the rules ─▶ caught
///                                                        └─ not found ─▶ validated by the draft ─▶ missed, or allowed
///
/// A defect is *missed* if the rules don't find it, though a rule that all of the backups satisfy does. If neither finds it, it is *allowed*: the
/// backups don't show that it is wrong, as with a name that is cut off.
///
/// Rules are drafted from the whole backups. Defects are planted in samples of some 60 kB, which have some records of each collection
/// and the records that they refer to. Places where the rules find something already get no defects. The files of an archive don't change.
///
/// Cost: that of `RuleDrafter`, a few passes for the samples, then ``Options/budget``. The result depends on the rules, the backups and the
/// options, not on threads or the machine.
public struct RuleScorer: Sendable {
  public struct Options: Sendable {
    /// Roughly the time for planting defects, in seconds on one core: 40 MB are validated for each.
    public var budget = 30
    /// Decides which records are taken, and which of their values change.
    public var seed: UInt64 = 0
    /// The clock of the rules, limits and threads.
    public var validation: ValidationOptions

    public init(validation: ValidationOptions) { self.validation = validation }
  }

  private let rules: RuleSource
  private let options: Options

  /// The samples, and the rounds of defects: each takes another record.
  private static let sampleLimit = 8
  private static let roundLimit = 3
  private static let bytesPerSecond = 40_000_000
  /// What a validation costs besides its bytes.
  private static let bytesPerDocument = 20_000

  public init(_ rules: RuleSource, options: Options) {
    self.rules = rules
    self.options = options
  }

  /// Plants defects in backups.
  ///
  /// - Parameter paths: the backups: JSON, compressed JSON, JSON Lines, or ZIP archives; `-` is standard input.
  /// - Throws: `CofferError` for rules that must be detected or can't be compiled, and for a backup that can't be read to its end, with its
  ///   name; `CancellationError`.
  public func score(_ paths: [FilePath]) throws -> RuleScore {
    let backups = try paths.map { try OpenedBackup($0, rules, execution: options.validation.execution, acceptsAnyDocument: true) }
    var drafting = DraftingOptions()
    drafting.addsBounds = true
    drafting.syntax = options.validation.syntax
    drafting.limits = options.validation.limits
    drafting.execution = options.validation.execution
    drafting.slices = options.validation.slices
    let (draft, observation) = try RuleDrafter(options: drafting).observed(backups)
    let judge = try Judge(rules, draft, options.validation)
    let samples = try samples(of: backups, judge, observation)
    for backup in backups { try backup.checkUnchanged() }
    let baselines = try samples.map { try judge.baseline(of: $0) }
    let plan = MutationPlan(samples, baselines, observation, keys: draft.document.keyFields, now: options.validation.now)
    var score = RuleScore(
      rules: judge.name, files: backups.map(\.name), seed: options.seed, bytes: draft.bytes, samples: samples.count,
      fieldsWithFindings: plan.fieldsWithFindings)
    try plant(plan, samples, baselines, judge, into: &score)
    score.draft = draft
    return score
  }

  private func samples(of backups: [OpenedBackup], _ judge: Judge, _ observation: DocumentObservation) throws -> [DocumentSample]
  {
    let sampler = DocumentSampler(
      rules: judge.documents, validators: judge.validators, observation: observation, seed: options.seed,
      options: options.validation.pass)
    // Evenly spread.
    let count = min(backups.count, Self.sampleLimit)
    return try (0..<count).map { try sampler.sample(of: backups[$0 * backups.count / count], syntax: options.validation.syntax) }
  }

  // MARK: Planting

  private func plant(
    _ plan: MutationPlan, _ samples: [DocumentSample], _ baselines: [Judge.Baseline], _ judge: Judge, into score: inout RuleScore
  ) throws {
    var next = plan.mutations(rounds: Self.roundLimit, seed: options.seed)
    var rest = max(0, options.budget).multipliedReportingOverflow(by: Self.bytesPerSecond).partialValue
    let cancellation = options.validation.execution.cancellation
    _ = try OrderedPipeline(jobs: options.validation.execution.jobs, stackSize: BlockingWork.stackSize).run(
      next: {
        try cancellation.check()
        guard let entry = next.next() else { return nil }
        rest -= samples[entry.mutation.sample].text.count + Self.bytesPerDocument
        if rest >= 0 { return entry }
        // The first round's defects that aren't planted.
        score.untried = 1
        while next.next() != nil { score.untried += 1 }
        return nil
      },
      makeWorker: {
        { (entry: MutationPlan.Entry) in
          Result { try judge.outcome(of: entry.mutation, in: samples[entry.mutation.sample], baselines[entry.mutation.sample]) }
        }
      },
      merge: { entry, outcome in
        score.add(entry.mutation, of: plan.fields[entry.field].pointer, try outcome.get())
        return .more
      })
    score.sort()
  }
}

/// Says whether a mutation is found by the rules, or by the draft.
private struct Judge: Sendable {
  struct Baseline: Sendable {
    let rules: FindingCounts
    let draft: FindingCounts
    let bounds: FindingCounts
    /// The pointers of the rules' findings.
    let places: [String]
  }

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
    options.maximumFindings = 100
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
      bounds: try bounded.validate(sample.opened).report.counts, places: report.findings.map(\.place.pointer))
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

/// What mutations there are of some samples: each kind at each field, in several records.
private struct MutationPlan: Sendable {
  struct Entry: Sendable {
    let field: Int
    let mutation: Mutation
  }

  private(set) var fields: [MutationField] = []
  /// The number of fields all of whose values are in records where the rules find something.
  private(set) var fieldsWithFindings = 0
  private var numbers: [String: Int] = [:]
  /// The fields of keys and references, which have no bounds and no unit.
  private let keys: Set<String>

  init(
    _ samples: [DocumentSample], _ baselines: [Judge.Baseline], _ observation: DocumentObservation, keys: Set<String>,
    now: Instant
  ) {
    self.keys = keys
    for (number, sample) in samples.enumerated() {
      walk(
        MutationSite(sample: number, pointer: "", value: sample.root, holder: nil, index: 0, record: "", isRecord: false), "",
        isInRecord: false,
        observation)
    }
    for index in fields.indices {
      let all = fields[index].sites
      fields[index].sites = all.filter { site in
        let places = baselines[site.sample].places
        return !places.contains { $0 == site.pointer || !site.record.isEmpty && ($0 + "/").hasPrefix(site.record + "/") }
      }
      if fields[index].sites.isEmpty { fieldsWithFindings += 1 }
      fields[index].isPast = all.allSatisfy { $0.time.map { $0 <= now } ?? true }
      fields[index].successors = Self.successors(of: fields[index])
      if fields[index].sites.count > MutationField.siteLimit {
        fields[index].sites = Array(fields[index].sites.prefix(MutationField.siteLimit))
      }
    }
  }

  private mutating func walk(
    _ site: MutationSite, _ field: String, isInRecord: Bool, _ observation: DocumentObservation
  ) {
    let number = numbers[field] ?? fields.count
    if number == fields.count {
      numbers[field] = number
      fields.append(MutationField(pointer: field))
    }
    fields[number].sites.append(site)
    let isCollection = site.value.array != nil || observation.isMap(at: site.pointer)
    for (index, child) in site.value.children.enumerated() {
      let token = child.name?.pointerToken ?? String(index)
      let pointer = "\(site.pointer)/\(token)"
      let below = MutationSite(
        sample: site.sample, pointer: pointer, value: child.value, holder: site.value, index: index,
        record: isInRecord ? site.record : isCollection ? pointer : "", isRecord: isCollection)
      walk(below, "\(field)/\(isCollection ? "*" : token)", isInRecord: isInRecord || isCollection, observation)
    }
  }

  /// Returns the members whose values are never below those of a field, and sometimes above.
  private static func successors(of field: MutationField) -> [String] {
    var names: [String: Bool] = [:]
    var isFirst = true
    for site in field.sites where !site.isRecord {
      guard let value = MutationOrder(site.value), let members = site.holder?.object else { continue }
      var seen: [String: Bool] = [:]
      for member in members where member.key != site.name {
        guard let other = MutationOrder(member.value), !(other < value) else { continue }
        seen[member.key] = value < other || names[member.key] == true
      }
      names = isFirst ? seen : seen.filter { names[$0.key] != nil }
      isFirst = false
    }
    return field.sites.count < 3 ? [] : names.filter(\.value).keys.sorted()
  }

  /// Returns the mutations, round by round, so that each field has one of each kind before any has a second.
  func mutations(rounds: Int, seed: UInt64) -> some IteratorProtocol<Entry> {
    (0..<rounds).lazy.flatMap { round in
      fields.indices.lazy.flatMap { field in
        MutationKind.allCases.lazy.flatMap { kind in
          mutations(kind, of: field, round, seed).lazy.map { Entry(field: field, mutation: $0) }
        }
      }
    }.makeIterator()
  }

  private func mutations(_ kind: MutationKind, of index: Int, _ round: Int, _ seed: UInt64) -> [Mutation] {
    let field = fields[index]
    let count = field.sites.count
    guard round < count else { return [] }
    if [.range, .unit, .total, .order].contains(kind), keys.contains(field.pointer) { return [] }
    let start = Int(SeededNumber.mix(seed, field.pointer + kind.rawValue, 0) % UInt64(count))
    // Rounds take records that are far from each other. Some can't have the defect: null, or equal values.
    let step = max(1, count / 3)
    for attempt in 0..<min(8, count) {
      let site = field.sites[(start + round * step + attempt) % count]
      let found = site.mutations(kind, in: field, seed: seed)
      if !found.isEmpty { return found }
    }
    return []
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

  /// The fields of keys and references in drafted rules, as JSON Pointers with `*` for any record.
  fileprivate var keyFields: Set<String> {
    var fields: Set<String> = []
    addKeyFields(to: &fields, at: "")
    return fields
  }

  private func addKeyFields(to fields: inout Set<String>, at place: String) {
    let lists = ["uniqueKeys", "foreignKeys"].flatMap { self[$0]?.array ?? [] }
    for key in lists + [self["primaryKey"]].compactMap(\.self) {
      if let name = key["fields"]?.string { fields.insert("\(place)/*/\(name)") }
    }
    for member in self["properties"]?.object ?? [] {
      member.value.addKeyFields(to: &fields, at: "\(place)/\(member.key.pointerToken)")
    }
    for part in ["items", "additionalProperties"] { self[part]?.addKeyFields(to: &fields, at: place + "/*") }
  }
}
