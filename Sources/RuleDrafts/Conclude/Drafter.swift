import Findings
import JSONEvents
package import Rules

/// Concludes rules from what was observed of documents.
///
///     observation ─▶ Drafter ─┬▶ rules that the observation proves: types, required members, enums, formats
///                             └▶ proposals: keys, references, counts, sums, orders, conditions ─▶ second reading ─▶ refuted ─▶ rules
package struct Drafter: Sendable {
  let options: DraftOptions
  let observation: DocumentObservation
  let map: PlaceMap
  /// What the rules of single values say, by place.
  var formats: [Int: StringFormat] = [:]
  var enums: [Int: [String]] = [:]
  /// Why they don't say more.
  var valueNotes: [DraftNote] = []
  private var proposals: [Proposal] = []
  private var notes: [DraftNote] = []
  /// The fields that are proposed as primary keys, by record, and the places of all proposed keys.
  var primary: [Int: String] = [:]
  var unique: Set<Int> = []
  /// The numbers of the proposals that a document contradicts.
  private var refuted: Set<Int> = []
  /// Those that the last reading refuted.
  private var lastRefuted: Set<Int> = []
  /// The places, in the rules, of keywords that the evaluator reads more strictly than the observation.
  private var removed: Set<String> = []

  private static let proposalLimit = 200

  package init(_ observation: DocumentObservation, options: DraftOptions) {
    self.options = options
    self.observation = observation
    map = PlaceMap(observation.places)
    notes = observation.limitNotes
    concludeFormats()
    concludeEnums()
    propose()
  }

  var places: ContiguousArray<ValueStatistics> { observation.places }
  var strictness: DraftStrictness { options.strictness }

  /// - Parameters:
  ///   - place: the place of the rule's values.
  ///   - name: the rule in notes.
  ///   - evidence: what suggests the rule.
  ///   - count: the number of values that could have contradicted it.
  ///   - rank: the order among the proposals for one subject.
  mutating func add(
    _ kind: Proposal.Kind, at place: Int, _ name: String, _ evidence: String, count: Int? = nil, rank: Int = 0
  ) {
    guard proposals.count < Self.proposalLimit else {
      return note(place, "no \(name): not tried, because the limit of \(Self.proposalLimit) rules between values is reached")
    }
    let evidence = count.map { "\(evidence). \(ValueStatistics.confidence(ofValues: $0))" } ?? evidence
    proposals.append(Proposal(kind: kind, pointer: map.pointer(of: place), name: name, evidence: evidence, rank: rank))
  }

  mutating func note(_ place: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: place), message: message))
  }

  mutating func noteValues(_ place: Int, _ message: String) {
    valueNotes.append(DraftNote(pointer: map.pointer(of: place), message: message))
  }

  // MARK: Proof

  /// The rules with all proposals that are not refuted, each with a code of its own.
  package func provisionalRules() -> JSONValue.Located {
    var writer = SchemaWriter(self, proposals: open, isProvisional: true)
    return withoutRemoved(writer.document())
  }

  /// True if there are proposals that are not refuted.
  package var hasProposals: Bool { !open.isEmpty }

  private var open: [(Int, Proposal)] {
    proposals.enumerated().filter { !refuted.contains($0.offset) }.map { ($0.offset, $0.element) }
  }

  /// Drops what documents contradict: proposals, and other keywords that the evaluator reads more strictly.
  ///
  /// - Parameters:
  ///   - counts: the number of findings of each code.
  ///   - locations: the places, in the provisional rules, of keywords with other findings.
  /// - Returns: false if nothing was dropped.
  package mutating func refute(_ counts: [String: Int], keywordsAt locations: [String] = []) -> Bool {
    let before = removed.count
    lastRefuted = []
    for (number, proposal) in open {
      guard let count = counts[Proposal.code(number)], count > 0 else { continue }
      lastRefuted.insert(number)
      let values = count == 1 ? "1 value contradicts it" : "\(count.counted("value")) contradict it"
      notes.append(DraftNote(pointer: proposal.pointer, message: "no \(proposal.name): \(values)"))
    }
    for location in locations where removed.insert(location).inserted {
      notes.append(DraftNote(pointer: "", message: "no rule at \(location): the validator refuses values that it should allow"))
    }
    refuted.formUnion(lastRefuted)
    return !lastRefuted.isEmpty || removed.count > before
  }

  /// True if what the last reading refuted may have hidden that the documents contradict a rule of the draft, too.
  ///
  /// A value with a finding has none about its key, and a dangling reference has none to the collections that are tried after it.
  package var hasDoubts: Bool {
    chosen.contains { number, proposal in
      lastRefuted.contains { other in
        let refuted = proposals[other]
        // Its findings are at members of the object.
        if case .condition = refuted.kind { return proposal.isAboutKeys }
        guard refuted.pointer == proposal.pointer, proposal.isAboutKeys else { return false }
        return !refuted.isAboutKeys || refuted.subject == proposal.subject && other < number
      }
    }
  }

  /// Drops all proposals, because proving them takes too much.
  package mutating func giveUpProofs(_ reason: String) {
    for (number, proposal) in open {
      refuted.insert(number)
      notes.append(DraftNote(pointer: proposal.pointer, message: "no \(proposal.name): not proven, because \(reason)"))
    }
  }

  /// True for the code of a proposal's findings.
  package static func isProposal(_ code: String) -> Bool { code.hasPrefix(Proposal.codePrefix) }

  // MARK: Result

  package var keyCount: Int { chosen.count { if case .unique = $0.1.kind { true } else { false } } }
  package var referenceCount: Int { chosen.count { if case .reference = $0.1.kind { true } else { false } } }

  /// The rules, without the refuted proposals, and what was not concluded, by place.
  package func rules() -> (document: JSONValue.Located, notes: [DraftNote]) {
    var writer = SchemaWriter(self, proposals: chosen, isProvisional: false)
    let document = withoutRemoved(writer.document())
    var seen: Set<DraftNote> = []
    let all = (notes + writer.notes).filter { seen.insert($0).inserted }
    let sorted = all.enumerated().sorted { ($0.element.pointer, $0.offset) < ($1.element.pointer, $1.offset) }
    return (document, sorted.map(\.element))
  }

  private func withoutRemoved(_ rules: JSONValue.Located) -> JSONValue.Located {
    removed.sorted().reduce(rules) { rules, location in rules.setting(nil, at: location.pointerTokens ?? []) }
  }

  /// The proposals that hold, the first for each subject.
  private var chosen: [(Int, Proposal)] {
    var subjects: Set<Proposal.Subject> = []
    let byRank = open.sorted { ($0.1.rank, $0.0) < ($1.1.rank, $1.0) }
    return byRank.filter { subjects.insert($0.1.subject).inserted }.sorted { $0.0 < $1.0 }
  }
}

/// How much evidence a drafted rule needs.
public enum DraftStrictness: String, Sendable, CaseIterable {
  /// Strong evidence only. Members that no document has are allowed.
  case loose
  /// Members that no document has give notes.
  case normal
  /// Any evidence. Members that no document has are errors.
  case tight
}

/// What rules are drafted.
package struct DraftOptions: Sendable {
  package var strictness = DraftStrictness.normal
  /// True to add the bounds of numbers and dates.
  package var addsBounds = false
  /// The name of the format, or `nil` for rules without a `backup`.
  package var name: String?
  /// The archive that documents are in, or `nil` if all of them are files.
  package var archive: Archive?

  /// The ZIP archive of a backup.
  package struct Archive: Sendable {
    /// The name of the entry with the document, without a top folder.
    package var document: String
    package var hasTopFolder: Bool

    package init(document: String, hasTopFolder: Bool) {
      self.document = document
      self.hasTopFolder = hasTopFolder
    }
  }

  package init() {}
}

/// The members of an object that is being written, in order. Those without a value are left out.
struct DraftMembers: ExpressibleByDictionaryLiteral {
  private var members: [(String, JSONValue.Located)] = []

  init(dictionaryLiteral members: (String, JSONValue.Located?)...) {
    for (key, value) in members { add(key, value) }
  }

  mutating func add(_ key: String, _ value: JSONValue.Located?) {
    if let value { members.append((key, value)) }
  }

  mutating func add(_ other: DraftMembers) { members += other.members }

  func has(_ key: String) -> Bool { members.contains { $0.0 == key } }

  var isEmpty: Bool { members.isEmpty }

  var object: JSONValue.Located { .members(members) }
}

/// Values that no document holds yet.
extension JSONValue.Located {
  static func text(_ text: String) -> Self { Self(.string(text)) }
  static func number(_ number: some CustomStringConvertible) -> Self { Self(.number(number.description)) }
  static func boolean(_ value: Bool) -> Self { Self(.boolean(value)) }
  static func list(_ items: [Self]) -> Self { Self(.array(items)) }
  static func texts(_ items: some Sequence<String>) -> Self { .list(items.map(Self.text)) }
  static func object(_ members: DraftMembers) -> Self { members.object }
}
