import BackupFormats
public import ByteStreams
public import Findings
public import JSONEvents
public import RuleDrafts
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
/// The first reading of the backups observes the values at each place, and proposes rules. Types, required members, enums
/// and formats hold for all values that were read. Keys, references, counts, sums, orders and conditions are only proposed; the
/// second reading validates the backups against them, and what a backup contradicts is dropped.
///
/// Cost: two passes over each backup, on all threads, and another one each time rules are dropped. Memory: up to 110 MiB for what
/// was observed, and `Execution.memoryLimit` for keys.
public struct RuleDrafter: Sendable {
  private let options: DraftingOptions

  public init(options: DraftingOptions) { self.options = options }

  /// Reads backups, and drafts rules.
  ///
  /// - Parameter paths: the backups: JSON, compressed JSON, JSON Lines, or ZIP archives with one JSON file; `-` is standard input.
  /// - Throws: `CofferError` for a backup that can't be read to its end, with its name; `CancellationError`.
  public func draft(_ paths: [FilePath]) throws -> RuleDraft {
    try draft(try open(paths, by: .detected(.builtIn), acceptsAnyDocument: true))
  }

  /// Reads opened backups, and drafts rules.
  package func draft(_ sources: [OpenedBackup]) throws -> RuleDraft { try observed(sources).draft }

  /// Reads opened backups, and returns rules and what was observed.
  func observed(_ sources: [OpenedBackup]) throws -> (draft: RuleDraft, observation: DocumentObservation) {
    var conclusions = options.conclusions
    try describeArchives(among: sources, &conclusions)
    let observation = try observe(sources)
    var drafter = Drafter(observation, options: conclusions)
    while try !prove(&drafter, by: sources) {}
    for source in sources { try source.checkUnchanged() }
    let (document, notes) = drafter.rules()
    let draft = RuleDraft(
      document: document, documents: observation.documentCount, bytes: observation.byteCount,
      notes: notes.map { RuleDraft.Note(pointer: $0.pointer, reason: $0.message) }, keyCount: drafter.keyCount,
      referenceCount: drafter.referenceCount)
    return (draft, observation)
  }

  /// Widens rules until backups satisfy them: adds types, values and members, moves bounds, and removes what can't be widened.
  ///
  /// Findings of severity error are a reason to widen, and notes about members that the rules don't describe. A keyword stays as
  /// it is if the rules can't be used without it. ``RuleUpdate/findingsLeft`` counts the errors that are left, for example those
  /// of `not`.
  ///
  /// A format's versions are widened to those that the backups declare.
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
    var documentOptions = documentOptions
    documentOptions.baseFolder = path.removingLastComponent()
    let text: [UInt8]
    do throws(CofferError) {
      text = try RuleDocument.text(of: FileSource(path: path))
    } catch {
      throw error.inDocument(path.string)
    }
    return try widen(
      text, documentOptions.syntax(of: path), named: path.string, documentOptions, toAdmit: paths, now: now)
  }

  /// Widens rules that have been read.
  ///
  /// - Parameters:
  ///   - text: the rule document, decompressed.
  ///   - name: its name in errors.
  package func widen(
    _ text: [UInt8], _ syntax: RuleSyntax, named name: String, _ documentOptions: RuleDocument.Options, toAdmit paths: [FilePath],
    now: Instant
  ) throws -> RuleUpdate {
    let document: JSONValue.Located
    var rules: RuleDocument
    do throws(CofferError) {
      document = try syntax.read(MemorySource(text))
      rules = try Self.usable(document, documentOptions)
    } catch {
      throw error.inDocument(name)
    }
    let sources = try open(paths, by: rules.describesFormat ? .format(BackupFormat(rules)) : .document(rules, name: name))
    var widener = RuleWidener(document, observation: try observe(sources))
    widener.widenVersions()
    var reports: [ValidationReport] = []
    // One finding may hide another of the same value.
    for _ in 0..<Self.roundLimit {
      reports = try validate(sources, by: rules, now: now)
      let refusals = reports.flatMap(\.findings).compactMap(RuleWidener.Refusal.init)
      guard let wider = Self.widened(&widener, by: refusals, documentOptions) else { break }
      rules = wider
    }
    for source in sources { try source.checkUnchanged() }
    let left = reports.flatMap { report in
      report.findings.filter { $0.severity == .error }.map { RuleUpdate.RemainingFinding(file: report.file, finding: $0) }
    }
    return RuleUpdate(
      document: widener.document,
      changes: widener.changes.map { RuleUpdate.Change(location: $0.location, before: $0.before, after: $0.after) },
      findingsLeft: reports.reduce(0) { $0 + $1.counts.count(.error) }, firstFindingsLeft: Array(left.prefix(10)))
  }

  /// The most readings that widen rules.
  private static let roundLimit = 100

  /// Widens the keywords that refused values, except those without which the rules can't be used.
  ///
  /// - Returns: the wider rules, or `nil` if no keyword was changed.
  private static func widened(
    _ widener: inout RuleWidener, by refusals: [RuleWidener.Refusal], _ options: RuleDocument.Options
  ) -> RuleDocument? {
    while true {
      var wider = widener
      guard wider.widen(refusals) else { return nil }
      if let rules = usable(&wider, options) {
        widener = wider
        return rules
      }
      let needed = Set(refusals.map(\.location)).filter { location in
        var wider = widener
        return wider.widen(refusals.filter { $0.location == location }) && usable(&wider, options) == nil
      }
      if needed.isEmpty { return nil }
      widener.keep(needed)
    }
  }

  /// Returns the widened rules, or `nil` if they can't be used. Removes the dates of collections that have no format any more.
  private static func usable(_ widener: inout RuleWidener, _ options: RuleDocument.Options) -> RuleDocument? {
    while true {
      do throws(CofferError) {
        return try usable(widener.document, options)
      } catch {
        guard let pointer = error.place.pointer, widener.removeDateField(at: pointer) else { return nil }
      }
    }
  }

  /// - Throws: `CofferError` for rules that can't be compiled, or whose `backup` describes no format.
  private static func usable(
    _ document: JSONValue.Located, _ options: RuleDocument.Options
  ) throws(CofferError) -> RuleDocument {
    let rules = try RuleDocument(document, options: options)
    _ = try rules.compiled()
    if rules.describesFormat { _ = try BackupFormat(rules) }
    return rules
  }

  // MARK: Readings

  /// - Parameter rules: which archives are backups.
  private func open(_ paths: [FilePath], by rules: RuleSource, acceptsAnyDocument: Bool = false) throws -> [OpenedBackup] {
    try paths.map {
      try OpenedBackup($0, rules, execution: options.execution, acceptsAnyDocument: acceptsAnyDocument)
    }
  }

  /// Only a format can describe archives, so the draft is one, and the document has one name.
  private func describeArchives(among sources: [OpenedBackup], _ conclusions: inout DraftOptions) throws(CofferError) {
    for source in sources {
      guard let archive = source.archive else { continue }
      let document = String(archive.document.name.dropFirst(archive.topFolder.count))
      var known = conclusions.archive ?? DraftOptions.Archive(document: document, hasTopFolder: false)
      guard known.document == document else {
        throw CofferError(
          .notABackup,
          "its document is \(document), and \(known.document) in another archive: draft the rules of each kind separately",
          at: .init(document: source.name))
      }
      if !archive.topFolder.isEmpty { known.hasTopFolder = true }
      conclusions.archive = known
      conclusions.name = conclusions.name ?? FilePath(source.name).stem ?? "draft"
    }
  }

  private func observe(_ sources: [OpenedBackup]) throws -> DocumentObservation {
    var observation = DocumentObservation()
    for source in sources {
      var passOptions = PassOptions(limits: options.limits, execution: options.execution, slices: options.slices)
      do {
        let document = try source.document()
        passOptions.syntax = document.syntax(options.syntax)
        // The consumer owns the observation while it reads.
        let consumer = DraftConsumer(observation, limits: options.limits)
        observation = DocumentObservation()
        var pass = DocumentPass(document.source, for: consumer, options: passOptions)
        try pass.run()
        observation = pass.consumer.observation
        observation.endDocument(bytes: pass.bytesRead)
      } catch let error as CofferError {
        throw error.inDocument(source.name)
      }
    }
    return observation
  }

  /// - Throws: `CofferError` for a document that can't be read to its end, or whose keys take too much memory.
  private func validate(_ sources: [OpenedBackup], by rules: RuleDocument, now: Instant) throws -> [ValidationReport] {
    var validation = ValidationOptions(now: now)
    validation.syntax = options.syntax
    validation.duplicateKeys = .allow
    validation.limits = options.limits
    validation.execution = options.execution
    validation.slices = options.slices
    let validator = Validator(.document(rules, name: "draft"), options: validation)
    return try sources.map { source in
      let report = try validator.validate(source.document()).report
      if let error = report.error { throw error.inDocument(source.name) }
      return report
    }
  }

  /// Validates the documents against the proposals, and drops those that have findings.
  ///
  /// - Returns: true if the documents satisfy the rules that are left. Otherwise they must be read again.
  private func prove(_ drafter: inout Drafter, by sources: [OpenedBackup]) throws -> Bool {
    // Drafts don't refer to the current time.
    let anyTime = Instant(seconds: 0)
    let reports: [ValidationReport]
    do {
      reports = try validate(sources, by: try RuleDocument(drafter.provisionalRules()), now: anyTime)
    } catch let error as CofferError where error.code == .ruleLimit && drafter.hasProposals {
      drafter.giveUpProofs(error.message)
      return false
    }
    let counts = reports.reduce(into: [:]) { $0.merge($1.counts.byCode, uniquingKeysWith: +) }
    if counts.isEmpty { return true }
    let others = reports.flatMap(\.findings).filter { !Drafter.isProposal($0.code) }
    guard drafter.refute(counts, keywordsAt: others.map(\.schemaLocation)) else {
      throw CofferError(.other, "the drafted rules have findings: \(others.first?.message ?? "no details are known")")
    }
    return counts.keys.allSatisfy(Drafter.isProposal) && !drafter.hasDoubts
  }
}

extension RuleWidener.Refusal {
  /// Creates a refusal from a finding; `nil` for one that doesn't count.
  fileprivate init?(_ finding: Finding) {
    // Drafts note members that they don't describe.
    let isUnknownMember = finding.severity == .note && finding.code == "unknown-field"
    guard finding.severity == .error || isUnknownMember else { return nil }
    self.init(
      keyword: finding.keyword, location: finding.schemaLocation, pointer: finding.place.pointer, isUnknownMember: isUnknownMember
    )
  }
}

/// Options for drafting rules.
public struct DraftingOptions: Sendable {
  public var strictness = DraftStrictness.normal
  /// True to add the bounds of numbers and dates.
  public var addsBounds = false
  /// The name of the format that the rules describe, or `nil` for rules without a `backup`.
  public var name: String?
  /// The documents' syntax. If `nil`, their names decide.
  public var syntax: JSONSyntax?
  public var limits = ReaderLimits()
  /// Threads, memory for keys, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  /// Creates options with the defaults above.
  public init() {}

  var conclusions: DraftOptions {
    var options = DraftOptions()
    options.strictness = strictness
    options.addsBounds = addsBounds
    options.name = name
    return options
  }
}

/// Rules that were drafted from documents.
public struct RuleDraft: Sendable {
  /// A rule that was not concluded.
  public struct Note: Sendable, Hashable {
    /// The place of the values, as a JSON Pointer with `*` for any item.
    public let pointer: String
    /// Why there is no rule.
    public let reason: String
  }

  package let document: JSONValue.Located
  /// The number of documents that were read, and of their bytes.
  public let documents: Int
  public let bytes: Int
  /// Why rules were not concluded, by place.
  public let notes: [Note]
  /// The numbers of primary keys and unique keys, and of references.
  public let keyCount: Int
  public let referenceCount: Int

  /// The rules as a JSON document. Each rule's evidence is in a `$comment`.
  public var json: String { DraftText.text(of: document, as: .json) }

  /// The rules as a YAML document. Each rule's evidence is in a comment.
  public var yaml: String { DraftText.text(of: document, as: .yaml) }
}

/// Observes one document: its envelope here, the items of large arrays slice by slice.
struct DraftConsumer: DocumentConsumer {
  private let limits: ReaderLimits
  private(set) var observation: DocumentObservation
  /// The observation with which the next slices begin, and the number of slices merged since the last events of the envelope.
  private var part: DocumentObservation?
  private var mergedCount = 0

  /// - Parameter observation: that of earlier documents, which grows.
  init(_ observation: DocumentObservation, limits: ReaderLimits) {
    self.observation = observation
    self.limits = limits
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    observation.consume(batch)
    part = nil
    mergedCount = 0
  }

  func workers(
    depth: Int, recordsBefore: Int
  ) -> (@Sendable () -> (Slice, DocumentObservation) -> DocumentObservation?)? {
    { [limits] in
      { slice, part in
        var observation = part
        return slice.read(depth: depth, limits: limits) { observation.consume($0) } ? observation : nil
      }
    }
  }

  var sliceBounds: DocumentObservation { part ?? observation.partForItems }

  mutating func merge(_ partial: DocumentObservation, of slice: Slice) {
    observation.merge(items: partial)
    mergedCount += 1
    // Renewed after 1, 2, 4, 8… slices, because later ones bring fewer new places and values.
    if mergedCount & (mergedCount - 1) == 0 { part = observation.partForItems }
  }
}

/// Rules that were widened to admit further documents.
public struct RuleUpdate: Sendable {
  /// A keyword that was changed.
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// The keyword's place in the rules, as a JSON Pointer.
    public let location: String
    /// The value of the keyword before and after, as JSON; `nil`: absent.
    public let before: String?
    public let after: String?

    /// `~ /properties/id/type: "integer" -> ["integer", "null"]`; with `+` or `-`, a keyword that was added or removed.
    public var description: String {
      switch (before, after) {
      case (nil, let after?): "+ \(location): \(after)"
      case (let before?, nil): "- \(location): \(before)"
      case (let before?, let after?): "~ \(location): \(before) -> \(after)"
      case (nil, nil): location
      }
    }
  }

  /// A finding that is left.
  public struct RemainingFinding: Sendable {
    /// The name of the backup.
    public let file: String
    public let finding: Finding
  }

  package let document: JSONValue.Located
  /// The changed keywords, in the order in which they were first changed.
  public let changes: [Change]
  /// The number of errors that the widened rules still find in the backups.
  public let findingsLeft: Int
  /// The first of these errors, at most 10.
  public let firstFindingsLeft: [RemainingFinding]

  /// The rules as a JSON document.
  public var json: String { DraftText.text(of: document, as: .json) }

  /// The rules as a YAML document, without the comments of the original.
  public var yaml: String { DraftText.text(of: document, as: .yaml) }
}
