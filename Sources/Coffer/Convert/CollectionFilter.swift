import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// Decides, event by event, what to keep of a document when collections are left out.
///
///     { "cars": [ {…} ], "expenses": [ {…}, {…} ], "metadata": { "expenseCount": 2 } }         expenses are left out
///     kept                           dropped                                    zero
///
/// Apps require the members, so a collection that is left out becomes empty; any other value (`null`) is kept. A number that the
/// rules declare as its count becomes zero.
struct CollectionFilter {
  enum Fate {
    case kept, dropped
    /// The number 0 replaces the value.
    case zero
  }

  private let members: Members
  private let known: CollectionChoice?
  /// The references from kept collections to those that are left out, as far as the rules describe them.
  let danglingReferences: [DanglingReference]
  private var counts: PointerTree
  private var depth = 0
  /// True if the root's next value is left out if it is a collection.
  private var isLeftOut = false
  /// The root's members that the rules describe as objects of records.
  private var objects: Set<String> = []
  /// True if the root's next value is one of them.
  private var isObjectOfRecords = false
  /// The root's first arrays in a document of unknown format, and the selected ones found so far.
  private var arrays: [(name: String, isKept: Bool)] = []
  private var found: Set<String> = []
  private var name: String?

  /// The root's members that are left out.
  private enum Members {
    case known(Set<String>)
    /// All arrays that the selection doesn't name.
    case unknown(CollectionSelection)
  }

  /// Finds the selected collections among those of the rules, or of the format that is detected by reading the document's start.
  init(_ selection: CollectionSelection, rules: RuleSource, of source: inout any ByteSource, _ syntax: JSONSyntax) throws {
    let document = try IdentifiedDocument(OpenedDocument(source, named: ""), rules: rules, syntax: syntax)
    source = document.source
    switch document.identity {
    case .format(let format, _): try self.init(leavingOut: try selection.choice(from: format), rules: format.rules)
    case .rules(let rules, let name): try self.init(leavingOut: try selection.choice(from: rules, named: name), rules: rules)
    case .undetected(let detection):
      if detection.isAmbiguous { throw detection.problem }
      // The collections are not known before they are read.
      self.init(keeping: selection)
    }
  }

  private init(keeping selection: CollectionSelection) {
    members = .unknown(selection)
    known = nil
    danglingReferences = []
    counts = PointerTree([])
  }

  /// - Parameter rules: the rules that describe the collections of the choice.
  /// - Throws: `unknownCollection` if a collection to leave out is inside a member of the root.
  private init(leavingOut choice: CollectionChoice, rules: RuleDocument) throws(CofferError) {
    if let inner = choice.leftOutInside {
      throw CofferError(.unknownCollection, "\(inner) can't be left out: only members of the root can")
    }
    let names = choice.leftOutMembers
    members = .known(names)
    objects = Set(rules.collections.filter { $0.kind == .object }.compactMap { $0.pointer.pointerTokens?.last })
    known = choice
    danglingReferences = choice.danglingReferences(rules: rules)
    counts = PointerTree(rules.declaredCounts.filter { $0.collection.count == 1 && names.contains($0.collection[0]) }.map(\.path))
  }

  /// True if the next event is in a collection that is left out.
  var isInLeftOut: Bool { isLeftOut && depth > 1 }

  /// True if the next event is in an object of records, kept or left out.
  var isInObjectOfRecords: Bool { isObjectOfRecords && depth > 1 }

  mutating func fate(of event: Event, in batch: EventBatch) throws(CofferError) -> Fate {
    let outerDepth = depth
    let isCount = !counts.follow(event, of: batch).isEmpty
    switch event.kind {
    case .objectStart, .arrayStart:
      if outerDepth == 0 { try beginRoot(event.kind) }
      if outerDepth == 1, event.kind == .arrayStart { beginArray() }
      depth += 1
      // The value's own bracket is kept.
      if outerDepth == 1 {
        if event.kind == .objectStart, !isObjectOfRecords { isLeftOut = false }
        return .kept
      }
    case .objectEnd, .arrayEnd:
      depth -= 1
      if depth == 1 {
        isLeftOut = false
        return .kept
      }
    case .key where depth == 1: beginMember(batch.text(of: event))
    default:
      if depth == 1 { isLeftOut = false }
      if isCount, event.kind == .number { return .zero }
    }
    return isInLeftOut ? .dropped : .kept
  }

  private func beginRoot(_ kind: Event.Kind) throws(CofferError) {
    guard case .unknown = members, kind == .arrayStart else { return }
    throw CofferError(
      .noCollections, "an array of unknown format has no collections to choose from")
  }

  private mutating func beginMember(_ text: ByteView) {
    let name = text.prefix(256).string
    switch members {
    case .known(let names):
      isLeftOut = names.contains(name)
      isObjectOfRecords = objects.contains(name)
    case .unknown(let selection):
      isLeftOut = !selection.names(member: name)
      self.name = name
    }
  }

  private mutating func beginArray() {
    guard let name else { return }
    if !isLeftOut { found.formUnion([name, "/" + name.pointerToken]) }
    if arrays.count < 1024 { arrays.append((name, !isLeftOut)) }
  }

  /// The kept and left-out collections; in a document of unknown format, the arrays found so far.
  var choice: CollectionChoice {
    if let known { return known }
    func pointers(kept: Bool) -> [String] { arrays.filter { $0.isKept == kept }.map { "/" + $0.name.pointerToken } }
    return CollectionChoice(
      kept: pointers(kept: true), leftOut: pointers(kept: false),
      titles: Dictionary(arrays.map { ("/" + $0.name.pointerToken, $0.name) }) { first, _ in first })
  }

  /// Called at the document's end. Throws if a selected collection was not found.
  func finish() throws(CofferError) {
    guard case .unknown(let selection) = members else { return }
    for name in selection.names where !found.contains(name) {
      throw CofferError(unknown: name, known: arrays.prefix(32).map(\.name), of: "the document")
    }
  }
}
