public import BackupFormats
import JSONEvents
public import Rules

/// A selection of a document's collections, by name.
///
/// For example:
///
///     let choice = try CollectionSelection(["cars", "expenses"]).choice(from: format)
///     choice.leftOut        // ["/plannedMaintenance", "/delayedNotifications", "/documents", "/ideas"]
public struct CollectionSelection: Sendable, Hashable {
  /// Each name is a collection's title, its own name (the last token of its JSON Pointer), or that pointer.
  public let names: [String]

  public init(_ names: [String]) { self.names = names }

  /// Creates a selection from comma-separated names. Blanks around names are ignored.
  public init(list: String) {
    names = list.split(separator: ",").map { $0.trimmingBlanks }.filter { !$0.isEmpty }
  }

  /// Finds the selected collections among those of a format.
  ///
  /// - Throws: `CofferError` with the code `unknownCollection`, whose message lists the format's collections.
  public func choice(from format: BackupFormat) throws(CofferError) -> CollectionChoice {
    try choice(from: format.allCollections.map { ($0.pointer, $0.title) }, of: format.name)
  }

  /// Finds the selected collections among those that rules describe.
  ///
  /// - Parameters:
  ///   - rules: the rules.
  ///   - name: the rules' name in messages.
  /// - Throws: the errors of ``choice(from:)``.
  public func choice(from rules: RuleDocument, named name: String) throws(CofferError) -> CollectionChoice {
    try choice(from: rules.collections.map { ($0.pointer, $0.name) }, of: name)
  }

  /// Finds the selected collections among those with these pointers and titles.
  ///
  /// - Parameter owner: the collections' owner, for the message.
  func choice(
    from known: [(pointer: String, title: String)], of owner: String
  ) throws(CofferError) -> CollectionChoice {
    var kept: Set<String> = []
    for name in names {
      let named = known.filter { $0.pointer == name || $0.title == name || $0.pointer.pointerTokens?.last == name }
      if named.isEmpty { throw CofferError(unknown: name, known: known.map(\.title), of: owner) }
      kept.formUnion(named.map(\.pointer))
    }
    let pointers = known.map(\.pointer)
    return CollectionChoice(
      kept: pointers.filter(kept.contains), leftOut: pointers.filter { !kept.contains($0) },
      titles: Dictionary(known) { first, _ in first })
  }

  /// Returns true if the selection names this member of the root, in a document of unknown format.
  func names(member: String) -> Bool { names.contains { $0 == member || $0 == "/" + member.pointerToken } }
}

/// The selected collections of the rules, and the others.
public struct CollectionChoice: Sendable, Hashable {
  /// JSON Pointers, in the rules' order.
  public let kept: [String]
  public let leftOut: [String]
  let titles: [String: String]

  /// Returns the title of one of the collections.
  public func title(of pointer: String) -> String { titles[pointer] ?? pointer }

  /// The titles of the collections that are left out.
  public var leftOutTitles: [String] { leftOut.map(title(of:)) }

  /// The names of the root's members that were left out.
  var leftOutMembers: Set<String> { Set(leftOut.compactMap(\.pointerTokens).filter { $0.count == 1 }.map { $0[0] }) }

  /// The names that lead to the collections that are left out.
  var leftOutPaths: Set<[String]> { Set(leftOut.compactMap(\.pointerTokens).filter { !$0.isEmpty }) }

  /// The first of the collections that are left out and inside a member of the root.
  var leftOutInside: String? { leftOut.first { ($0.pointerTokens?.count ?? 0) > 1 } }
}

extension CofferError {
  init(unknown name: String, known: [String], of owner: String) {
    let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
    let suggestion = Suggestion.text(for: name, among: known)
    self.init(.unknownCollection, "\(owner) has no collection '\(name)': \(list)\(suggestion)")
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// Finds the collection that a JSON Pointer names, and its records, among a document's events.
struct CollectionPath {
  /// The relation of an event to the records.
  enum Role {
    /// The event is elsewhere.
    case outside
    /// A bracket around the records.
    case bracket
    /// The name of a record in an object.
    case name
    /// Part of a record: its first event, its last, both or none of them.
    case record(isFirst: Bool, isLast: Bool)
  }

  let pointer: String
  private let tokens: [String]
  private var path: PointerTree
  /// The number of open brackets around a record, after the collection was reached.
  private(set) var recordDepth: Int?
  /// True if it is an object.
  private(set) var isObject = false
  private let takesObjects: Bool
  /// True if the collection was read to its end.
  private var isComplete = false
  /// The end of the path's longest match, and the kind of value there: for the error message.
  private var furthest: (count: Int, kind: Event.Kind) = (0, .null)

  /// - Parameter takesObjects: true if the collection may be an object, whose members are the records.
  /// - Throws: `CofferError` if `pointer` is not a JSON Pointer.
  init(_ pointer: String, takesObjects: Bool = false) throws(CofferError) {
    guard let tokens = pointer.pointerTokens else {
      throw CofferError(
        .invalidPointer,
        "'\(pointer)' is not a JSON Pointer; examples are '/expenses', and '' for the root")
    }
    self.pointer = pointer
    self.tokens = tokens
    self.takesObjects = takesObjects
    path = PointerTree([tokens])
  }

  /// True if the innermost open container holds the records, or is in one of them.
  var isInRecords: Bool { recordDepth != nil && !isComplete }

  /// The relation of an array to the records.
  enum Relation { case holdsRecords, holdsNone, mayLeadToThem }

  /// The relation of the innermost open array to the records, between two of its items.
  var relation: Relation {
    if isComplete { return .holdsNone }
    guard let recordDepth else { return path.depth > path.matchedDepth ? .holdsNone : .mayLeadToThem }
    return recordDepth == path.depth ? .holdsRecords : .mayLeadToThem
  }

  mutating func role(of event: Event, in batch: EventBatch) throws(CofferError) -> Role {
    let outerDepth = path.depth
    let matched = path.node(of: event, in: batch)
    if let recordDepth, !isComplete {
      isComplete = path.depth < recordDepth
      if isObject, event.kind == .key, outerDepth == recordDepth { return .name }
      return isComplete ? .bracket : .record(isFirst: outerDepth == recordDepth, isLast: path.depth == recordDepth)
    }
    guard let matched else { return .outside }
    if isComplete {
      // Choosing either of the two would silently lose the other's records.
      guard matched < tokens.count else {
        throw CofferError(.ambiguousValue, "the document has \(Self.name(of: pointer)) twice")
      }
      return .outside
    }
    furthest = (matched, event.kind)
    if matched == tokens.count {
      isObject = event.kind == .objectStart
      guard event.kind == .arrayStart || takesObjects && isObject else {
        throw CofferError(
          .notAnArray,
          "\(Self.name(of: pointer)) is \(JSONKind(event.kind).phrase), not an array" + (takesObjects ? " or object" : ""))
      }
      recordDepth = path.depth
      return .bracket
    }
    return .outside
  }

  /// Called at the document's end. Throws if the array was not found.
  func finish() throws(CofferError) {
    if isComplete { return }
    let parent = Self.name(of: tokens.prefix(furthest.count).pointer)
    let missing = furthest.count < tokens.count ? tokens[furthest.count] : ""
    let message =
      switch furthest.kind {
      case .arrayStart: "\(parent) has no item \(missing)"
      case .objectStart: "\(parent) has no member '\(missing)'"
      default: "\(parent) is \(JSONKind(furthest.kind).phrase), which has no member '\(missing)'"
      }
    throw CofferError(.noSuchValue, message)
  }

  private static func name(of pointer: String) -> String { pointer.isEmpty ? "the document" : pointer }
}
