/// The places in a document that rules elsewhere need: the collections that references point into, the arrays that are counted,
/// the fields that `$data` names, the numbers that are summed.
///
/// Places are relative to the root, in the tree of node 0, or to a container around the requester. Each such request has its own
/// tree, which is attached to the states of that container.
struct LocationTree {
  /// A key that some reference looks up in an array's records.
  struct KeyRequest: Hashable {
    /// Empty: the items themselves are the keys.
    var fields: [Schema.FieldPath]
    var ignoresCase = false
    /// The schema that a record must satisfy to count, or `nil`.
    var whereSchema: Int?
  }

  /// A key set that an array's records define.
  struct Definition {
    var request: KeyRequest
    var keySet: Int
    /// The number of containers from the record up to the one to which references are limited, or -1 for the document.
    var levels: Int
  }

  struct Node {
    /// The children by name; `*` matches any item.
    var children: [ExactText: Int] = [:]
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
      for keyword in schema.keywords {
        switch keyword.assertion {
        case .foreignKey(let key): _ = keySet(of: key)
        case .countOf(let pointer): _ = countIndex(of: pointer)
        case .sumOf(let sum): _ = aggregate(.sum, of: sum.values)
        case .amongData(let data): _ = aggregate(.items, of: data.items)
        case .bound(_, .data(let data)), .formatBound(_, _, .data(let data)), .equalsData(let data):
          if case .root(let tokens) = data.origin { _ = cell(at: tokens) }
        default: break
        }
      }
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

  /// Returns the set that a foreign key looks into. All keys with the same targets share one.
  mutating func keySet(of key: Schema.ForeignKey) -> Int {
    let targets = key.targets.map {
      Target(
        resource: $0.resource, request: KeyRequest(fields: $0.fields, ignoresCase: key.ignoresCase, whereSchema: $0.whereSchema))
    }
    for case .root(let tokens) in key.targets.filter(\.gradesIfEmpty).map(\.resource) { _ = countIndex(of: tokens) }
    if let known = keySets[targets] { return known }
    let keySet = keySetCount
    keySets[targets] = keySet
    keySetCount += 1
    for target in targets {
      switch target.resource {
      case .root(let tokens): define(keySet, by: target.request, at: documentPath + tokens, from: 0, levels: documentLevels)
      case .relative(_, let tokens):
        let root = newRoot()
        keyRoots[keySet, default: []].append(root)
        // The levels lead from a record to its array, and from there up to where the tokens begin.
        define(keySet, by: target.request, at: tokens, from: root, levels: tokens.count + 1)
      }
    }
    return keySet
  }

  private mutating func define(_ keySet: Int, by request: KeyRequest, at tokens: [String], from root: Int, levels: Int) {
    if request.fields.isEmpty {
      // An item that is itself a key contains nothing: it is one level closer.
      let action = RuleProgram.PlaceAction(
        kind: .definition, levels: Int32(levels == documentLevels ? levels : levels - 1), index: Int32(keySet),
        ignoresCase: request.ignoresCase)
      return add(action, at: tokens + ["*"], from: root)
    }
    nodes[node(at: tokens, from: root)].definitions.append(Definition(request: request, keySet: keySet, levels: levels))
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
    let levels: Int
    switch resource {
    case .root(let path): (root, tokens, levels) = (0, documentPath + path, -1)
    case .relative(_, let path):
      (root, tokens, levels) = (newRoot(), path, path.count - 1)
      aggregateRoots[number] = root
    }
    add(
      RuleProgram.PlaceAction(kind: kind == .sum ? .sum : .item, levels: Int32(levels), index: Int32(number)), at: tokens,
      from: root)
    if kind == .items {
      nodes[node(at: tokens.dropLast(), from: root)].completion = RuleProgram.PlaceAction(
        kind: .item, levels: Int32(levels < 0 ? -1 : levels - 1), index: Int32(number))
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

extension Schema.DataReference {
  /// The items of the array that it names.
  var items: Schema.Resource {
    switch origin {
    case .root(let tokens): .root(tokens + ["*"])
    case .ancestor(let levels, let field): .relative(levels: levels, [field, "*"])
    }
  }
}
