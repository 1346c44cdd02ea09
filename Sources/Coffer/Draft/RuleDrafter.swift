import BackupFormats
import ByteStreams
import Findings
import JSONEvents
import RuleDrafts
import Rules
public import SystemPackage

/// Drafts rules that all given backups satisfy, as a start for rules of your own.
///
/// For example:
///
///     var options = DraftingOptions()
///     options.name = "my-app"
///     let draft = try RuleDrafter(options: options).draft(["a.json", "b.json"])
///     print(draft.json)
///
/// The first reading of the backups observes the values at each place, and proposes rules. Types, required members, enums, formats and patterns
/// hold for all values that were read. Keys, references, counts, sums and orders are proposed only; the second reading validates the backups against
/// them, and what a backup refutes is dropped.
///
/// Cost: two passes over each backup, on all threads. Memory: up to 64 MiB for what was observed, and `Execution.memoryLimit` for keys.
public struct RuleDrafter: Sendable {
  private let options: DraftingOptions

  public init(options: DraftingOptions) { self.options = options }

  /// Reads backups, and drafts rules.
  ///
  /// - Parameter paths: the backups: JSON, JSON in LZ4, JSON Lines, or ZIP archives of a built-in format; `-` is standard input.
  /// - Throws: `CofferError` for a backup that can't be read to its end, with its name; `CancellationError`.
  public func draft(_ paths: [FilePath]) throws -> RuleDraft {
    let sources = try paths.map { path in
      try BackupSource(path, .detected(.builtIn), execution: options.execution)
    }
    var observation = DocumentObservation()
    for source in sources { try observe(source, &observation) }
    var drafter = Drafter(observation, options: options.conclusions)
    try prove(&drafter, by: sources)
    for source in sources { try source.checkUnchanged() }
    let (document, notes) = drafter.rules()
    return RuleDraft(
      document: document, documents: observation.documentCount, bytes: observation.byteCount,
      notes: notes.map { RuleDraft.Note(pointer: $0.pointer, reason: $0.message) }, keyCount: drafter.keyCount,
      referenceCount: drafter.referenceCount)
  }

  private func syntax(of source: BackupSource) -> JSONSyntax {
    source.archive == nil ? options.syntax ?? JSONSyntax(ofFileNamed: source.name) : .json
  }

  private func observe(_ source: BackupSource, _ observation: inout DocumentObservation) throws {
    var passOptions = PassOptions(options.execution, limits: options.limits, slices: options.slices)
    passOptions.syntax = syntax(of: source)
    do {
      // The consumer owns the observation while it reads.
      let consumer = DraftConsumer(observation, limits: options.limits)
      observation = DocumentObservation()
      var pass = DocumentPass(try source.document(), for: consumer, options: passOptions)
      try pass.run()
      observation = pass.consumer.observation
      observation.endDocument(bytes: pass.bytesRead)
    } catch let error as CofferError {
      throw error.inDocument(source.name)
    }
  }

  /// Validates the documents against the proposals, and drops those that have findings.
  private func prove(_ drafter: inout Drafter, by sources: [BackupSource]) throws {
    let text = DraftText.text(of: drafter.provisionalRules(), as: .json)
    var validation = ValidationOptions(now: Instant(seconds: 0))
    // Those of other keywords than proposals, of which there should be none.
    validation.maximumFindings = 1000
    validation.duplicateKeys = .allow
    validation.limits = options.limits
    validation.execution = options.execution
    validation.slices = options.slices
    var counts: [String: Int] = [:]
    for source in sources {
      validation.syntax = syntax(of: source)
      let rules = try RuleDocument(MemorySource(text.utf8))
      let validator = Validator(.document(rules, name: "the draft"), options: validation)
      let report = try validator.validate(try source.document(), named: source.name, in: .json).report
      if let error = report.error {
        guard error.code == .ruleLimit else { throw error.inDocument(source.name) }
        drafter.giveUpProofs(error.message)
        return
      }
      counts.merge(report.counts.byCode) { $0 + $1 }
      for finding in report.findings where finding.severity == .error && !Drafter.isProposal(finding.code) {
        drafter.refute(keywordAt: finding.schemaLocation)
      }
    }
    drafter.refute(counts)
  }
}
