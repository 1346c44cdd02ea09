import Rules

/// The recursive schemas: those whose subschemas lead back to them.
///
/// They are the strongly connected components of the graph of schemas (Tarjan, "Depth-first search and linear graph algorithms",
/// SIAM J. Comput. 1972), found without recursion, because rules may refer to each other in chains of any length.
struct RecursiveSchemas {
  private var isRecursive: [Bool]

  init(of rules: RuleDocument) {
    let inner = rules.schemas.map { schema in schema.keywords.flatMap(\.assertion.subschemas) }
    isRecursive = Array(repeating: false, count: inner.count)
    var order = Array(repeating: -1, count: inner.count)
    var lowest = order
    var isOpen = isRecursive
    var open: [Int] = []
    var next = 0
    /// The schemas on the current path, each with the index of its next subschema.
    var way: [(schema: Int, child: Int)] = []
    func enter(_ schema: Int) {
      (order[schema], lowest[schema], isOpen[schema]) = (next, next, true)
      next += 1
      open.append(schema)
      way.append((schema, 0))
    }
    for start in inner.indices where order[start] < 0 {
      enter(start)
      while let (schema, child) = way.last {
        if child < inner[schema].count {
          way[way.count - 1].child += 1
          let target = inner[schema][child]
          if target == schema { isRecursive[schema] = true }
          if order[target] < 0 {
            enter(target)
          } else if isOpen[target] {
            lowest[schema] = min(lowest[schema], order[target])
          }
          continue
        }
        way.removeLast()
        if let around = way.last?.schema { lowest[around] = min(lowest[around], lowest[schema]) }
        guard lowest[schema] == order[schema], let first = open.lastIndex(of: schema) else { continue }
        let part = open[first...]
        for member in part {
          isOpen[member] = false
          if part.count > 1 { isRecursive[member] = true }
        }
        open.removeSubrange(first...)
      }
    }
  }

  func contains(_ schema: Int) -> Bool { isRecursive[schema] }
}

extension Schema.Assertion {
  /// The subschemas that apply to the value itself, or to its members or items.
  fileprivate var subschemas: [Int] {
    switch self {
    case .members(let members):
      members.named.map(\.schema) + members.patterns.map(\.schema) + [members.additional].compactMap(\.self)
    case .memberNames(let schema), .unevaluatedMembers(let schema), .unevaluatedItems(let schema), .not(let schema),
      .reference(let schema), .dynamicReference(let schema, _):
      [schema]
    case .dependentSchemas(let dependencies): dependencies.map(\.schema)
    case .items(let prefix, let rest): prefix + [rest].compactMap(\.self)
    case .contains(let contains): [contains.schema]
    case .allOf(let parts), .anyOf(let parts), .oneOf(let parts): parts
    case .condition(let test, let then, let otherwise): [test] + [then, otherwise].compactMap(\.self)
    default: []
    }
  }
}
