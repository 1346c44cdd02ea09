public import BackupFormats
import ByteStreams
import Findings
import JSONEvents
public import Rules
import Synchronization

/// A format that backups can be made up of: its rules and hints, worked out into a plan.
///
/// A small sample is made and validated at once, so that a format that gets this far gives sound documents. What can be wrong in them is
/// worked out when it is first asked for: each defect that the rules suggest is tried, and only those are kept whose finding is the one expected
/// and the only one.
public final class SyntheticFormat: Sendable {
  /// How messages call it.
  public let name: String
  let plan: Plan
  /// If archives are made of it.
  let archive: ArchivePlan?
  private let rules: RuleDocument
  private let program: RuleProgram
  private let hints: GenerationHints
  private let known = Mutex<[DefectKind: [DefectVariant]]>([:])

  /// - Throws: `SyntheticBackupError` if the rules and hints don't say enough, `RuleCompileError` for wrong ones.
  public convenience init(_ format: BackupFormat) throws {
    try self.init(format.rules, name: format.name)
  }

  /// A rule document: a descriptor, or plain rules.
  ///
  /// - Parameter name: how messages call them.
  /// - Throws: `SyntheticBackupError` if the rules don't say enough, `RuleCompileError` for wrong ones.
  public convenience init(_ rules: RuleDocument, name: String) throws {
    try self.init(rules, name: name, archive: nil, digest: nil)
  }

  /// A format whose backups are archives, of which archives are to be made.
  package convenience init(_ format: BackupFormat, archive: ArchiveLayout, digest: @escaping FileDigest) throws {
    try self.init(format.rules, name: format.name, archive: ArchivePlan(archive), digest: digest)
  }

  private init(_ rules: RuleDocument, name: String, archive: ArchivePlan?, digest: FileDigest?) throws {
    self.name = name
    self.archive = archive
    self.rules = rules
    hints =
      try rules.backup?["generate"].map { value throws(RuleCompileError) in try GenerationHints(value) } ?? GenerationHints()
    program = try rules.compiled()
    let compiler = PlanCompiler(rules, hints: hints, namesFiles: digest != nil)
    var plan = try compiler.compile()
    if let digest {
      try compiler.settleFiles(digest, limit: archive?.limit)
      plan = compiler.plan
    }
    self.plan = plan
    try checkSample()
  }

  /// The kinds of defects that can be planted, in the order of ``DefectKind/allCases``.
  public var defectKinds: [DefectKind] {
    let variants = variants
    return DefectKind.allCases.filter { kind in variants.contains { $0.kind == kind } }
  }

  /// Every defect that can be planted: its kind, where, and the code of its finding. For people.
  public var defects: [(kind: DefectKind, pointer: String, code: String)] {
    variants.map { ($0.kind, pointer(of: $0), $0.code) }
  }

  var variants: [DefectVariant] { variants(of: Set(DefectKind.allCases)) }

  /// Those of some kinds: trying what the rules suggest takes its time, and each kind is tried for itself.
  func variants(of kinds: Set<DefectKind>) -> [DefectVariant] {
    known.withLock { known in
      let open = kinds.subtracting(known.keys)
      if !open.isEmpty {
        let candidates = DefectSurvey(rules, plan).candidates
        let trial = DefectTrial(plan, program, hints)
        for kind in open {
          known[kind] = trial.proven(candidates.filter { $0.kind == kind && archive?.concerns($0) != true })
        }
      }
      let variants = DefectTrial.inTurn(kinds.flatMap { known[$0] ?? [] })
      return variants + (archive?.variants ?? []).filter { kinds.contains($0.kind) }
    }
  }

  private func pointer(of variant: DefectVariant) -> String {
    switch variant.site {
    case .collection(let number):
      plan.collections[number].pointer + "/*" + DocumentWriter.pointer(variant.pointers[0])
    case .spine(let site): DocumentWriter.pointer(site + variant.pointers[0])
    case .archive: if case .stray(let start, let end) = variant.change { start + "*" + end } else { "" }
    }
  }

  /// The pointers of its collections, in the order in which their records are counted.
  var collections: [String] { plan.collections.map(\.pointer) }

  /// Makes sure that what the plan makes satisfies the rules.
  private func checkSample() throws {
    for (seed, scale) in [(1, 0.0), (2, 12.0)] as [(UInt64, Double)] {
      let calibration = SizeCalibration(
        plan: plan, seed: seed, layout: TreeLayout(indent: nil, escapesSlashes: plan.escapesSlashes))
      var counts = calibration.counts(scale: scale)
      for index in counts.indices { counts[index] = min(counts[index], max(plan.collections[index].least, 40)) }
      let population = Population(seed: seed, counts: counts, plan: plan)
      var document = DocumentWriter(plan: plan, population: population, layout: calibration.layout)
      var sink = MemorySink()
      try document.write(to: &sink) { _, _, _ throws(ByteStreamError) in }
      guard !document.records.isCircular else {
        throw SyntheticBackupError.impossible(
          "", "some of its values follow from themselves, by way of references or other values")
      }
      let findings = try SampleValidation(program, hints).findings(
        in: sink.bytes, facts: plan.files.isEmpty ? nil : document.facts())
      if let finding = findings.first {
        throw SyntheticBackupError.hintNeeded(
          finding.place.pointer, "what was made up breaks the rule at \(finding.schemaLocation): \(finding.message)")
      }
    }
  }
}

/// Validates what was made up, from memory.
struct SampleValidation {
  private let program: RuleProgram
  private let options: RuleEvaluator.Options

  init(_ program: RuleProgram, _ hints: GenerationHints) {
    self.program = program
    // Some moment after the backup's.
    options = RuleEvaluator.Options(now: Instant(seconds: hints.reference + 3 * 86_400), key: SipHash128.Key(low: 1, high: 2))
  }

  /// - Parameter facts: the files that belong to it; `nil`: it stands alone.
  func findings(in bytes: [UInt8], facts: [String: EntryFacts]? = nil, most: Int = 1000) throws -> [Finding] {
    var options = options
    options.gathersEntries = facts != nil
    options.maximumFindings = most
    var reader = JSONEventReader(MemorySource(bytes), limits: ReaderLimits())
    var evaluator = DocumentEvaluator(program, options: options)
    while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
    try evaluator.finish()
    guard let facts else { return evaluator.collector.findings() }
    let claims = evaluator.entryClaims
    let names = claims.names
    var findings = evaluator.collector.findings() + claims.findings { facts[$0] }.findings()
    for name in facts.keys.sorted() where !names.contains(name) {
      findings.append(
        Finding(
          code: "file-extra", keyword: "archive", severity: .warning, message: "no record names this file",
          place: Place(entry: name), schemaLocation: "/backup/archive"))
    }
    return findings
  }
}
