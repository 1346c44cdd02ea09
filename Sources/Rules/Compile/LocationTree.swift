/// What rules anywhere in a document ask of certain places, counted from the root: the collections that references point into, the arrays
/// that are counted, the fields that `$data` names.
struct LocationTree {
  /// A key that some reference looks for in an array's records.
  struct KeyRequest: Hashable {
    var fields: [String]
    /// What a record must satisfy to count, or `nil`.
    var whereSchema: Int?
  }

  struct Node {
    /// By name; `*` stands for any item.
    var children: [String: Int] = [:]
    /// The key sets that this array's records define.
    var keySets: [(request: KeyRequest, keySet: Int)] = []
    var countIndex: Int?
    /// Cells of the document that hold this object's fields.
    var cells: [String: Int] = [:]
    /// Whether exactly one place in a document can be meant.
    var isSingle = true
  }

  private(set) var nodes = [Node()]
  private(set) var keySetCount = 0
  private(set) var countNames: [String] = []
  private(set) var cellCount = 0

  var isEmpty: Bool { nodes.count == 1 && nodes[0].keySets.isEmpty && nodes[0].cells.isEmpty && nodes[0].countIndex == nil }

  init(_ schemas: [Schema]) {
    for schema in schemas {
      for keyword in schema.keywords {
        switch keyword.assertion {
        case .foreignKey(let key): _ = keySet(of: key.request, in: key.resource)
        case .countOf(let pointer): _ = countIndex(of: pointer)
        case .bound(_, .data(let data)), .formatBound(_, _, .data(let data)), .equalsData(let data):
          if case .root(let tokens) = data.origin { _ = cell(at: tokens) }
        default: break
        }
      }
    }
  }

  private mutating func node(at tokens: some Sequence<String>) -> Int {
    var index = 0
    for token in tokens {
      if let child = nodes[index].children[token] {
        index = child
        continue
      }
      var child = Node()
      child.isSingle = nodes[index].isSingle && token != "*"
      nodes[index].children[token] = nodes.count
      index = nodes.count
      nodes.append(child)
    }
    return index
  }

  mutating func keySet(of request: KeyRequest, in resource: [String]) -> Int {
    let index = node(at: resource)
    if let known = nodes[index].keySets.first(where: { $0.request == request }) { return known.keySet }
    nodes[index].keySets.append((request, keySetCount))
    keySetCount += 1
    return keySetCount - 1
  }

  mutating func countIndex(of pointer: [String]) -> Int {
    let index = node(at: pointer)
    if let known = nodes[index].countIndex { return known }
    nodes[index].countIndex = countNames.count
    countNames.append(pointer.map { "/" + $0 }.joined())
    return countNames.count - 1
  }

  mutating func cell(at pointer: [String]) -> Int {
    let index = node(at: pointer.dropLast())
    let field = pointer[pointer.count - 1]
    if let known = nodes[index].cells[field] { return known }
    nodes[index].cells[field] = cellCount
    cellCount += 1
    return cellCount - 1
  }
}

extension Schema.ForeignKey {
  var request: LocationTree.KeyRequest { LocationTree.KeyRequest(fields: referencedFields, whereSchema: whereSchema) }
}
