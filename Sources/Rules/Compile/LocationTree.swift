/// The places in a document that rules elsewhere need: the collections that references point into or that are counted, the fields
/// that `$data` names, the numbers that are summed.
///
/// Places are relative to the root, in the tree of node 0, or to a container around the requester. Each such request has its own
/// tree, which is attached to the states of that container.
struct LocationTree {
  /// A key that some reference looks up in the records of a collection.
  struct KeyRequest: Hashable {
    /// Empty: the items themselves, or the names of an object's members, are the keys.
    var fields: [Schema.FieldPath]
    var ignoresCase = false
    /// The positions of values that references compare with names: numbers at these positions are compared as text.
    var namePositions: [Int] = []
    /// The schema that a record must satisfy to count, or `nil`.
    var whereSchema: Int?
  }

  /// A key set that the records of a collection define.
  struct Definition {
    var request: KeyRequest
    /// The first of the foreign keys that look into it.
    var keyword: Schema.Keyword
    var keySet: Int
    /// The number of containers from the record up to the one to which references are limited, or -1 for the document.
    var levels: Int
  }

  struct Node {
    /// The children by name; `*` matches any item of an array, and any member of an object.
    var children: [ExactText: Int] = [:]
    /// The nodes whose actions are only for an array's items, and for the names of an object's members.
    var items: Int?
    var memberNames: Int?
    var definitions: [Definition] = []
    var countIndex: Int?
    /// The cells of the document that hold this object's fields.
    var cells: [ExactText: Int] = [:]
    /// The actions for a value at this place.
    var actions: [RuleProgram.PlaceAction] = []
    /// The action that completes an aggregate when the array at this place ends.
    var completion: RuleProgram.PlaceAction?
    /// True if exactly one place in a document can match.
    var isSingle = true

    /// The names of members that lead further, sorted.
    var names: [String] { children.keys.map(\.text).filter { $0 != "*" }.sorted() }
  }

  /// Values gathered from many places for a comparison.
  struct AggregateRequest: Hashable {
    enum Kind: Hashable { case sum, items }
    var kind: Kind
    var resource: Schema.Resource
  }

  private struct Target: Hashable {
    var resource: Schema.Resource
    var request: KeyRequest
  }

  /// The path from the root of the stream to that of a document: empty if they are the same.
  private let documentPath: [String]
  private(set) var nodes = [Node()]
  private(set) var keySetCount = 0
  private(set) var countNames: [String] = []
  private(set) var cellCount = 0
  private(set) var aggregateCount = 0
  private var keySets: [[Target]: Int] = [:]
  private var aggregates: [AggregateRequest: Int] = [:]
  /// The trees of each key set and each aggregate that don't start at the root.
  private(set) var keyRoots: [Int: [Int]] = [:]
  private(set) var aggregateRoots: [Int: Int] = [:]

  var isEmpty: Bool {
    nodes[0].children.isEmpty && nodes[0].definitions.isEmpty && nodes[0].cells.isEmpty && nodes[0].countIndex == nil
  }

  /// The levels of a request from the whole document.
  let documentLevels: Int

  init(_ schemas: [Schema], documentPath: [String]) {
    self.documentPath = documentPath
    documentLevels = documentPath.isEmpty ? -1 : Int(RuleProgram.documentScope)
    for schema in schemas {
      for keyword in schema.keywords { keyword.assertion.rule?.request(&self, keyword) }
    }
  }

  /// Adds a separate tree, for places relative to a container.
  mutating func newRoot() -> Int {
    nodes.append(Node())
    nodes[nodes.count - 1].isSingle = false
    return nodes.count - 1
  }

  mutating func node(at tokens: some Sequence<String>, from root: Int = 0) -> Int {
    var index = root
    for token in tokens {
      if let child = nodes[index].children[ExactText(token)] {
        index = child
        continue
      }
      var child = Node()
      child.isSingle = nodes[index].isSingle && token != "*"
      nodes[index].children[ExactText(token)] = nodes.count
      index = nodes.count
      nodes.append(child)
    }
    return index
  }

  mutating func add(_ action: RuleProgram.PlaceAction, at tokens: [String], from root: Int) {
    nodes[node(at: tokens, from: root)].actions.append(action)
  }

  /// Adds an action for the items, if there is an array at a place.
  private mutating func add(_ action: RuleProgram.PlaceAction, forItemsAt tokens: some Sequence<String>, from root: Int) {
    let index = node(at: tokens, from: root)
    if nodes[index].items == nil { nodes[index].items = newRoot() }
    if let items = nodes[index].items { nodes[items].actions.append(action) }
  }

  /// Adds an action for the names of the members, if there is an object at a place.
  mutating func add(_ action: RuleProgram.PlaceAction, forNamesAt tokens: some Sequence<String>, from root: Int) {
    let index = node(at: tokens, from: root)
    var action = action
    action.isName = true
    if nodes[index].memberNames == nil { nodes[index].memberNames = newRoot() }
    if let names = nodes[index].memberNames { nodes[names].actions.append(action) }
  }

  /// Returns the set that a foreign key looks into. All keys with the same targets share one.
  func keySet(of key: Schema.ForeignKey) -> Int {
    guard let known = keySets[Self.targets(of: key)] else { preconditionFailure("all sets are added at first") }
    return known
  }

  private static func targets(of key: Schema.ForeignKey) -> [Target] {
    let namePositions = key.fields.indices.filter { key.fields[$0].endsInName }
    return key.targets.map {
      Target(
        resource: $0.resource,
        request: KeyRequest(
          fields: $0.fields, ignoresCase: key.ignoresCase, namePositions: namePositions, whereSchema: $0.whereSchema))
    }
  }

  mutating func addKeySet(of key: Schema.ForeignKey, for keyword: Schema.Keyword) {
    let targets = Self.targets(of: key)
    for case .root(let tokens) in key.targets.filter(\.gradesIfEmpty).map(\.resource) { _ = countIndex(of: tokens) }
    if keySets[targets] != nil { return }
    let keySet = newKeySet()
    keySets[targets] = keySet
    for target in targets {
      switch target.resource {
      case .root(let tokens):
        define(keySet, by: target.request, for: keyword, at: documentPath + tokens, from: 0, levels: documentLevels)
      case .relative(_, let tokens):
        let root = newRoot()
        keyRoots[keySet, default: []].append(root)
        // The levels lead from a record to its collection, and from there up to where the tokens begin.
        define(keySet, by: target.request, for: keyword, at: tokens, from: root, levels: tokens.count + 1)
      }
    }
  }

  private mutating func define(
    _ keySet: Int, by request: KeyRequest, for keyword: Schema.Keyword, at tokens: [String], from root: Int, levels: Int
  ) {
    if request.fields.isEmpty {
      // An item or a name that is itself a key contains nothing: it is one level closer.
      let action = RuleProgram.PlaceAction(
        kind: .definition, levels: Int32(levels == documentLevels ? levels : levels - 1), index: Int32(keySet),
        ignoresCase: request.ignoresCase, numbers: request.namePositions.isEmpty ? .kept : .spelled)
      add(action, forNamesAt: tokens, from: root)
      return add(action, forItemsAt: tokens, from: root)
    }
    nodes[node(at: tokens, from: root)].definitions.append(
      Definition(request: request, keyword: keyword, keySet: keySet, levels: levels))
  }

  /// Adds a key set of the document that no reference looks into.
  mutating func newKeySet() -> Int {
    keySetCount += 1
    return keySetCount - 1
  }

  mutating func aggregate(_ kind: AggregateRequest.Kind, of resource: Schema.Resource) -> Int {
    let aggregate = AggregateRequest(kind: kind, resource: resource)
    if let known = aggregates[aggregate] { return known }
    let number = newAggregate()
    aggregates[aggregate] = number
    let root: Int
    let tokens: [String]
    let isGlobal: Bool
    switch resource {
    case .root(let path): (root, tokens, isGlobal) = (0, documentPath + path, true)
    case .relative(_, let path):
      (root, tokens, isGlobal) = (newRoot(), path, false)
      aggregateRoots[number] = root
    }
    /// Returns an action for the values after that many tokens.
    func action(_ actionKind: RuleProgram.PlaceAction.Kind, after count: Int) -> RuleProgram.PlaceAction {
      RuleProgram.PlaceAction(kind: actionKind, levels: Int32(isGlobal ? -1 : count - 1), index: Int32(number))
    }
    switch kind {
    case .sum: add(action(.sum, after: tokens.count), at: tokens, from: root)
    case .items:
      let list = Array(tokens.dropLast())
      add(action(.item, after: tokens.count), forItemsAt: list, from: root)
      add(action(.item, after: tokens.count), forNamesAt: list, from: root)
      add(action(.noItems, after: list.count), at: list, from: root)
      nodes[node(at: list, from: root)].completion = action(.item, after: list.count)
    }
    return number
  }

  /// Adds an aggregate that no other rule shares.
  mutating func newAggregate() -> Int {
    aggregateCount += 1
    return aggregateCount - 1
  }

  mutating func countIndex(of pointer: [String]) -> Int {
    let index = node(at: documentPath + pointer)
    if let known = nodes[index].countIndex { return known }
    nodes[index].countIndex = countNames.count
    countNames.append(pointer.map { "/" + $0 }.joined())
    return countNames.count - 1
  }

  mutating func cell(at pointer: [String]) -> Int {
    let index = node(at: documentPath + pointer.dropLast())
    let field = ExactText(pointer[pointer.count - 1])
    if let known = nodes[index].cells[field] { return known }
    nodes[index].cells[field] = cellCount
    cellCount += 1
    return cellCount - 1
  }
}
