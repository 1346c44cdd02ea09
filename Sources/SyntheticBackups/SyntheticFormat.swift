public import BackupFormats
public import ByteStreams
import Findings
import JSONEvents
public import Rules
import Synchronization

/// A format for synthetic backups: its rules and hints, compiled into a plan.
///
/// The initializers generate and validate a small sample, so that every format generates valid documents. Possible defects are
/// determined when they are first requested: each defect that the rules suggest is tried, and kept only if the expected finding
/// is the only one.
public final class SyntheticFormat: Sendable {
  /// The format's name in messages.
  public let name: String
  let plan: Plan
  /// The archive plan, if the format generates archives.
  let archive: ArchivePlan?
  private let rules: RuleDocument
  private let program: RuleProgram
  private let hints: GenerationHints
  private let known = Mutex<[DefectKind: [DefectVariant]]>([:])

  /// - Throws: `CofferError` if the rules and hints are insufficient, or if they are invalid.
  public convenience init(_ format: BackupFormat) throws(CofferError) {
    try self.init(format.rules, name: format.name)
  }

  /// Creates a format from a rule document: a descriptor, or plain rules.
  ///
  /// - Parameters:
  ///   - rules: the rule document.
  ///   - name: The format's name in messages.
  /// - Throws: `CofferError` if the rules are insufficient, or if they are invalid.
  public convenience init(_ rules: RuleDocument, name: String) throws(CofferError) {
    try self.init(rules, name: name, archive: nil)
  }

  /// Returns a format for ``SyntheticArchive``.
  ///
  /// - Throws: `no-archive` if the format's backups aren't archives; otherwise the errors of ``init(_:)``.
  public static func archived(_ format: BackupFormat) throws(CofferError) -> SyntheticFormat {
    guard let layout = format.archive else { throw CofferError.noArchive(format.name) }
    return try SyntheticFormat(format.rules, name: format.name, archive: ArchivePlan(layout))
  }

  private init(_ rules: RuleDocument, name: String, archive: ArchivePlan?) throws(CofferError) {
    self.name = name
    self.archive = archive
    self.rules = rules
    hints =
      try rules.backup?["generate"].map { value throws(CofferError) in try GenerationHints(value) } ?? GenerationHints()
    program = try rules.compiled()
    plan = try RecipeBuilder(rules, hints: hints, archive: archive).build()
    try checkSample()
  }

  /// The kinds of defects that can be planted, in the order of ``DefectKind``.
  public var defectKinds: [DefectKind] {
    let variants = variants
    return DefectKind.allCases.filter { kind in variants.contains { $0.kind == kind } }
  }

  /// Every defect that can be planted: its kind, pointer and finding code. For display.
  public var defects: [(kind: DefectKind, pointer: String, code: String)] {
    variants.map { ($0.kind, pointer(of: $0), $0.code) }
  }

  var variants: [DefectVariant] { variants(of: Set(DefectKind.allCases)) }

  /// Returns the variants of some kinds. Trying them takes time, so each kind is tried only once, on first request.
  func variants(of kinds: Set<DefectKind>) -> [DefectVariant] {
    known.withLock { known in
      let open = kinds.subtracting(known.keys)
      if !open.isEmpty {
        let candidates = DefectSurvey(rules, plan).candidates
        let trial = DefectTrial(plan: plan, program: program, hints: hints)
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
      plan.collections[number].pointer + "/*" + variant.pointers[0].pointer
    case .envelope(let site): (site + variant.pointers[0]).pointer
    case .archive: if case .stray(let start, let end) = variant.change { start + "*" + end } else { "" }
    }
  }

  /// Checks that generated samples satisfy the rules.
  private func checkSample() throws(CofferError) {
    for (seed, scale) in [(1, 0.0), (2, 12.0)] as [(UInt64, Double)] {
      var counts = plan.counts(scale: scale)
      for index in counts.indices { counts[index] = min(counts[index], max(plan.collections[index].least, 40)) }
      var document = DocumentWriter(plan, Population(seed: seed, counts: counts, plan: plan), layout: .compact)
      var sink = MemorySink()
      try document.write(to: &sink) { _, _, _ throws(CofferError) in }
      if let circle = document.circle {
        throw CofferError.impossible(circle, "some values depend on themselves, through references or other values")
      }
      let findings = try program.findings(inSample: sink.bytes, hints, facts: document.facts())
      if let finding = findings.first {
        throw CofferError.hintNeeded(
          finding.place.pointer, "a generated value breaks the rule at \(finding.schemaLocation): \(finding.message)")
      }
    }
  }
}
