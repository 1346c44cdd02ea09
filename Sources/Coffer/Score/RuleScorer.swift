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
    let backups = try open(paths, by: rules)
    var drafting = DraftingOptions()
    drafting.addsBounds = true
    drafting.syntax = options.validation.syntax
    drafting.limits = options.validation.limits
    drafting.execution = options.validation.execution
    drafting.slices = options.validation.slices
    let (draft, observation) = try RuleDrafter(options: drafting).observed(backups)
    let judge = try RuleJudge(rules, draft, options.validation)
    let reports = try reports(on: backups, by: rules, keeping: 0)
    let samples = try samples(of: backups, judge, observation)
    for backup in backups { try backup.checkUnchanged() }
    let baselines = try samples.map { try judge.baseline(of: $0) }
    let plan = MutationPlan(samples, baselines, observation, draft: draft.document, now: options.validation.now)
    var score = RuleScore(
      rules: judge.name, files: backups.map(\.name), options: options, samples: samples.count,
      fieldsWithFindings: plan.fieldsWithFindings, fieldsNotSampled: plan.fieldsNotSampled,
      draft: draft)
    try plant(plan, samples, baselines, judge, into: &score)
    for report in reports { score.findings.merge(report.counts) }
    return score
  }

  private func samples(of backups: [OpenedBackup], _ judge: RuleJudge, _ observation: DocumentObservation) throws
    -> [DocumentSample]
  {
    let sampler = DocumentSampler(
      rules: judge.documents, validators: judge.validators, observation: observation, seed: options.seed,
      options: options.validation.pass)
    // Evenly spread.
    let count = min(backups.count, Self.sampleLimit)
    return try (0..<count).map { try sampler.sample(of: backups[$0 * backups.count / count], syntax: options.validation.syntax) }
  }

  /// Validates the whole backups.
  ///
  /// - Throws: `CofferError` for one that can't be read to its end.
  private func reports(on backups: [OpenedBackup], by rules: RuleSource, keeping limit: Int) throws -> [ValidationReport] {
    var validation = options.validation
    validation.maximumFindings = limit
    // A warning about checks in SQL is none of the rules' findings.
    validation.runsSQLChecks = true
    let validator = Validator(rules, options: validation)
    return try backups.map { backup in
      let report = try validator.validate(backup.document()).report
      if let error = report.error { throw error.inDocument(backup.name) }
      return report
    }
  }

  private func open(_ paths: [FilePath], by rules: RuleSource) throws -> [OpenedBackup] {
    try paths.map { try OpenedBackup($0, rules, execution: options.validation.execution, acceptsAnyDocument: true) }
  }

  // MARK: Suggestions

  /// Returns what the rules lack, as a patch of their document. The backups satisfy the patched rules as far as they satisfy these.
  ///
  /// - Parameters:
  ///   - score: the result of ``score(_:)`` for the same backups.
  ///   - text: the text of the rule document.
  ///   - documentOptions: how to read it.
  ///   - name: its name in the patch.
  ///   - paths: the backups, which are read again: not standard input.
  /// - Throws: `CofferError` if the text is no rule document, and for a backup that can't be read again.
  public func suggestions(
    for score: RuleScore, _ text: [UInt8], _ syntax: RuleSyntax, _ documentOptions: RuleDocument.Options = .init(),
    named name: String, admitting paths: [FilePath]
  ) throws -> RuleSuggestions {
    let root = try syntax.read(MemorySource(text))
    let known = Set(try RuleDocument(checking: root, options: documentOptions).warnings.map(\.message))
    let isYAML = syntax.endings.contains("yaml")
    var refused: Set<String> = []
    for _ in 0..<Self.suggestionRounds {
      let suggestions = RuleSuggestions(for: score, text, root, isYAML: isYAML, named: name, refusedAt: refused)
      if suggestions.patch.isEmpty { return suggestions }
      let rules: RuleDocument
      do throws(CofferError) {
        rules = try RuleDocument(MemorySource(suggestions.document), syntax: syntax, options: documentOptions)
        _ = try rules.compiled()
      } catch {
        guard let place = error.place.pointer.flatMap(RuleSuggestions.place), refused.insert(place).inserted else {
          return RuleSuggestions(text, because: "the patched rules would be wrong: \(error.message)")
        }
        continue
      }
      var places = rules.warnings.filter { !known.contains($0.message) }.map(\.place.pointer)
      places += try refusals(of: paths, by: rules, besides: score.findings)
      let new = Set(places.compactMap(RuleSuggestions.place)).subtracting(refused)
      if places.isEmpty { return suggestions }
      if new.isEmpty { break }
      refused.formUnion(new)
    }
    return RuleSuggestions(text, because: "the backups would be refused")
  }

  private static let suggestionRounds = 20

  /// Returns the places of rules that find more in backups than those of the score did.
  private func refusals(of paths: [FilePath], by rules: RuleDocument, besides known: FindingCounts) throws -> [String] {
    let source: RuleSource = rules.describesFormat ? .format(try BackupFormat(rules)) : .document(rules, name: "patched rules")
    let reports = try reports(on: open(paths, by: source), by: source, keeping: 1000)
    let counts = reports.reduce(into: FindingCounts()) { $0.merge($1.counts) }
    let grown = Set(counts.byCode.filter { $0.value > known.byCode[$0.key] ?? 0 }.keys)
    return reports.flatMap(\.findings).filter { grown.contains($0.code) }.map(\.schemaLocation)
  }

  // MARK: Planting

  private func plant(
    _ plan: MutationPlan, _ samples: [DocumentSample], _ baselines: [RuleJudge.Baseline], _ judge: RuleJudge,
    into score: inout RuleScore
  ) throws {
    var next = plan.mutations(rounds: Self.roundLimit, seed: options.seed)
    var rest = min(max(0, options.budget), 1_000_000) * Self.bytesPerSecond
    let cancellation = options.validation.execution.cancellation
    _ = try OrderedPipeline(jobs: options.validation.execution.jobs, stackSize: BlockingWork.stackSize).run(
      next: {
        try cancellation.check()
        guard let entry = next.next() else { return nil }
        rest -= samples[entry.mutation.sample].text.count + Self.bytesPerDocument
        if rest >= 0 { return entry }
        score.isCutShort = true
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
