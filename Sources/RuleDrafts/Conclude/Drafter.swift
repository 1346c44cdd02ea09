import JSONEvents
package import Rules

/// Concludes rules from what was observed of documents.
///
///     observation ─▶ Drafter ─┬▶ rules that the observation proves: types, required members, enums, formats, patterns
///                             └▶ proposals: keys, references, counts, sums, orders ─▶ second reading ─▶ refuted ─▶ rules
package struct Drafter: Sendable {
  let options: DraftOptions
  let observation: DocumentObservation
  let map: PlaceMap
  private(set) var proposals: [Proposal] = []
  private(set) var notes: [DraftNote] = []
  /// The numbers of the proposals, by the place of their rule.
  private var refuted: Set<Int> = []
  /// The places of keywords, in the rules, that the evaluator reads more strictly than the observation.
  private var removed: Set<String> = []

  package init(_ observation: DocumentObservation, options: DraftOptions) {
    self.options = options
    var observation = observation
    MapFolding.fold(&observation)
    self.observation = observation
    map = PlaceMap(observation.places)
    var proposer = Proposer(observation, map, options)
    proposer.propose()
    proposals = proposer.proposals
    notes = proposer.notes
  }

  var places: ContiguousArray<Place> { observation.places }

  /// The rules with all proposals that are not refuted, each with a code of its own.
  package func provisionalRules() -> JSONValue.Located {
    let open = proposals.enumerated().filter { !refuted.contains($0.offset) }.map { ($0.offset, $0.element) }
    var writer = SchemaWriter(self, proposals: open, isProvisional: true)
    var document = writer.document()
    for location in removed.sorted() { document = document.removing(at: (location.pointerTokens ?? [])[...]) }
    return document
  }

  /// Drops the proposals that documents refuted.
  ///
  /// - Parameter counts: the number of findings of each code.
  package mutating func refute(_ counts: [String: Int]) {
    for (number, proposal) in proposals.enumerated() {
      guard let count = counts[Proposal.code(number)], count > 0 else { continue }
      refuted.insert(number)
      notes.append(
        DraftNote(
          pointer: proposal.pointer, message: "not \(proposal.claim): \(count.counted("value")) refute\(count == 1 ? "s" : "") it"
        ))
    }
  }

  /// Drops other keywords that a document has findings of: the evaluator's word counts, for example where matching a pattern takes too many steps.
  ///
  /// - Parameter location: the keyword's place in the provisional rules.
  package mutating func refute(keywordAt location: String) {
    guard removed.insert(location).inserted else { return }
    notes.append(DraftNote(pointer: "", message: "no rule at \(location): it has findings"))
  }

  /// Drops all proposals, because proving them takes too much.
  package mutating func giveUpProofs(_ reason: String) {
    for (number, proposal) in proposals.enumerated() where refuted.insert(number).inserted {
      notes.append(DraftNote(pointer: proposal.pointer, message: "not known whether it is \(proposal.claim): \(reason)"))
    }
  }

  /// True for the code of a proposal's findings.
  package static func isProposal(_ code: String) -> Bool { code.hasPrefix(Proposal.codePrefix) }

  package var keyCount: Int { chosen.count { if case .unique = $0.1.kind { true } else { false } } }
  package var referenceCount: Int { chosen.count { if case .reference = $0.1.kind { true } else { false } } }

  /// The rules, without the refuted proposals.
  package func rules() -> (document: JSONValue.Located, notes: [DraftNote]) {
    var writer = SchemaWriter(self, proposals: chosen, isProvisional: false)
    var document = writer.document()
    for location in removed.sorted() { document = document.removing(at: (location.pointerTokens ?? [])[...]) }
    var seen: Set<DraftNote> = []
    let all = (notes + writer.notes).filter { seen.insert($0).inserted }
    return (
      document, all.enumerated().sorted { ($0.element.pointer, $0.offset) < ($1.element.pointer, $1.offset) }.map(\.element)
    )
  }

  /// The proposals that hold, of alternatives the first.
  private var chosen: [(Int, Proposal)] {
    var fields: Set<String> = []
    var result: [(Int, Proposal)] = []
    for (number, proposal) in proposals.enumerated().sorted(by: { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) })
    where !refuted.contains(number) {
      let slot: String
      switch proposal.kind {
      case .unique(let record, let field, _, _): slot = "unique \(record) \(field)"
      case .reference(let record, let fields, _): slot = "reference \(record) \(fields)"
      case .count(let place, _), .sum(let place, _), .order(let place, _, _): slot = "place \(place)"
      }
      if fields.insert(slot).inserted { result.append((number, proposal)) }
    }
    return result.sorted { $0.0 < $1.0 }
  }
}
