public import BackupFormats
import JSONEvents
public import Rules

/// Some of a document's collections, by name: what a run is to be about.
///
/// For example:
///
///     let choice = try CollectionSelection(["cars", "expenses"]).choice(from: format)
///     choice.leftOut        // ["/plannedMaintenance", "/delayedNotifications", "/documents", "/ideas"]
public struct CollectionSelection: Sendable, Hashable {
  /// Each is a collection's title, its own name (the last one of its JSON Pointer), or that pointer.
  public let names: [String]

  public init(_ names: [String]) { self.names = names }

  /// Names with commas between them, as one types them; blanks around a name are not part of it.
  public init(list: String) {
    names = list.split(separator: ",").map { $0.trimmingBlanks }.filter { !$0.isEmpty }
  }

  /// Finds them among the collections of a format.
  ///
  /// - Throws: `CollectionError` of the code `unknown`, whose message lists those that there are.
  public func choice(from format: BackupFormat) throws(CollectionError) -> CollectionChoice {
    try choice(from: format.collections.map { ($0.pointer, $0.title) }, of: format.name)
  }

  /// Finds them among the collections that rules describe.
  ///
  /// - Parameters:
  ///   - rules: the rules.
  ///   - name: how messages call them.
  /// - Throws: as ``choice(from:)``.
  public func choice(from rules: RuleDocument, named name: String) throws(CollectionError) -> CollectionChoice {
    try choice(from: rules.collections.map { ($0.pointer, $0.name) }, of: name)
  }

  /// Finds them among collections that are known by pointer and title.
  ///
  /// - Parameter owner: whose collections they are, for the message.
  func choice(
    from known: [(pointer: String, title: String)], of owner: String
  ) throws(CollectionError) -> CollectionChoice {
    var kept: Set<String> = []
    for name in names {
      let named = known.filter { $0.pointer == name || $0.title == name || $0.pointer.pointerTokens?.last == name }
      if named.isEmpty { throw CollectionError(unknown: name, known: known.map(\.title), of: owner) }
      kept.formUnion(named.map(\.pointer))
    }
    let pointers = known.map(\.pointer)
    return CollectionChoice(
      kept: pointers.filter(kept.contains), leftOut: pointers.filter { !kept.contains($0) },
      titles: Dictionary(known) { first, _ in first })
  }

  /// Returns true if it names a member of the root of a document of unknown format.
  func names(member: String) -> Bool { names.contains { $0 == member || $0 == "/" + member.pointerToken } }
}

/// The selected collections of the rules, and the others.
public struct CollectionChoice: Sendable, Hashable {
  /// JSON Pointers, in the rules' order.
  public let kept: [String]
  public let leftOut: [String]
  private let titles: [String: String]

  init(kept: [String], leftOut: [String], titles: [String: String]) {
    self.kept = kept
    self.leftOut = leftOut
    self.titles = titles
  }

  /// Returns the title of one of the collections.
  public func title(of pointer: String) -> String { titles[pointer] ?? pointer }

  /// The titles of the collections that are left out.
  public var leftOutTitles: [String] { leftOut.map(title(of:)) }

  /// The names of those of the root's members that were left out.
  var leftOutMembers: Set<String> { Set(leftOut.compactMap { $0.pointerTokens?.last }) }
}

extension CollectionError {
  init(unknown name: String, known: [String], of owner: String) {
    let list = known.isEmpty ? "it describes none" : "it has \(known.joined(separator: ", "))"
    self.init(code: .unknown, pointer: name, message: "\(owner) knows no collection '\(name)': \(list)")
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
