import BackupFormats
import ByteStreams
import Findings
import JSONEvents
import RuleDrafts
public import Rules
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
    let sources = try open(paths)
    let observation = try observe(sources)
    var drafter = Drafter(observation, options: options.conclusions)
    // A second round is for findings that hid others.
    for _ in 0..<4 { if try prove(&drafter, by: sources) { break } }
    for source in sources { try source.checkUnchanged() }
    let (document, notes) = drafter.rules()
    return RuleDraft(
      document: document, documents: observation.documentCount, bytes: observation.byteCount,
      notes: notes.map { RuleDraft.Note(pointer: $0.pointer, reason: $0.message) }, keyCount: drafter.keyCount,
      referenceCount: drafter.referenceCount)
  }

  /// Widens rules until backups satisfy them: adds types, values and members, moves bounds, and removes what can't be widened.
  ///
  /// Findings of severity error count, and notes about members that the rules don't describe. What is left of them is in ``RuleUpdate/findingsLeft``, for example those of `not`.
  ///
  /// - Parameters:
  ///   - path: the rule document.
  ///   - documentOptions: how to read it.
  ///   - paths: the backups, as in ``draft(_:)``.
  ///   - now: the current time for the rules.
  /// - Throws: `CofferError` for rules with errors, and for a backup that can't be read to its end.
  public func widen(
    _ path: FilePath, _ documentOptions: RuleDocument.Options = .init(), toAdmit paths: [FilePath], now: Instant
  ) throws -> RuleUpdate {
    let document = try documentOptions.syntax(of: path).read(try FileSource(path: path))
    let sources = try open(paths)
    var widener = RuleWidener(document, observation: try observe(sources))
    var left = 0
    // One finding may hide another of the same value.
    for _ in 0..<12 {
      var refusals: [RuleWidener.Refusal] = []
      left = 0
      for source in sources {
        let report = try validate(source, by: widener.document, documentOptions, now: now)
        if let error = report.error { throw error.inDocument(source.name) }
        left += report.counts.count(.error)
        refusals += report.findings.compactMap { finding in
          // Drafts note members that they don't describe.
          let isUnknownMember = finding.severity == .note && finding.code == "unknown-field"
          guard finding.severity == .error || isUnknownMember else { return nil }
          return RuleWidener.Refusal(
            keyword: finding.keyword, location: finding.schemaLocation, pointer: finding.place.pointer,
            isUnknownMember: isUnknownMember)
        }
      }
      if !widener.widen(refusals) { break }
    }
    for source in sources { try source.checkUnchanged() }
    return RuleUpdate(
      document: widener.document,
      changes: widener.changes.map { RuleUpdate.Change(location: $0.location, before: $0.before, after: $0.after) },
      findingsLeft: left)
  }

  // MARK: Readings

  private func open(_ paths: [FilePath]) throws -> [BackupSource] {
    try paths.map { try BackupSource($0, .detected(.builtIn), execution: options.execution) }
  }

  private func syntax(of source: BackupSource) -> JSONSyntax {
    source.archive == nil ? options.syntax ?? JSONSyntax(ofFileNamed: source.name) : .json
  }

  private func observe(_ sources: [BackupSource]) throws -> DocumentObservation {
    var observation = DocumentObservation()
    for source in sources {
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
    return observation
  }

  private func validate(
    _ source: BackupSource, by document: JSONValue.Located, _ documentOptions: RuleDocument.Options, now: Instant
  ) throws -> ValidationReport {
    var validation = ValidationOptions(now: now)
    validation.duplicateKeys = .allow
    validation.limits = options.limits
    validation.execution = options.execution
    validation.slices = options.slices
    validation.syntax = syntax(of: source)
    let rules = try RuleDocument(MemorySource(document.text.utf8), options: documentOptions)
    let validator = Validator(.document(rules, name: "the draft"), options: validation)
    return try validator.validate(try source.document(), named: source.name, in: .json).report
  }

  /// Validates the documents against the proposals, and drops those that have findings.
  ///
  /// - Returns: true if the rules that are left have no findings.
  private func prove(_ drafter: inout Drafter, by sources: [BackupSource]) throws -> Bool {
    let rules = drafter.provisionalRules()
    // Drafts don't refer to the current time.
    let anyTime = Instant(seconds: 0)
    var counts: [String: Int] = [:]
    var others: Set<String> = []
    for source in sources {
      let report = try validate(source, by: rules, RuleDocument.Options(), now: anyTime)
      if let error = report.error {
        guard error.code == .ruleLimit else { throw error.inDocument(source.name) }
        drafter.giveUpProofs(error.message)
        return false
      }
      counts.merge(report.counts.byCode) { $0 + $1 }
      for finding in report.findings where finding.severity == .error && !Drafter.isProposal(finding.code) {
        others.insert(finding.schemaLocation)
      }
    }
    drafter.refute(counts)
    for location in others.sorted() { drafter.refute(keywordAt: location) }
    return counts.keys.allSatisfy(Drafter.isProposal)
  }
}
