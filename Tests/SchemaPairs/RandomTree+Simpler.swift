extension RandomTree {
  /// All trees that are one step simpler: without a member or an item, with `true` or a child in its place, or with a simpler
  /// child.
  var simpler: [RandomTree] {
    switch self {
    case .scalar: return []
    case .array(let items):
      return items.indices.map { index in
        var rest = items
        rest.remove(at: index)
        return .array(rest)
      } + Self.simpler(items, RandomTree.array)
    case .object(let members):
      return members.indices.map { index in
        var rest = members
        rest.remove(at: index)
        return .object(rest)
      } + Self.simpler(members.map(\.value)) { values in .object(zip(members, values).map { ($0.name, $1) }) }
    }
  }

  private static func simpler(_ children: [RandomTree], _ parent: ([RandomTree]) -> RandomTree) -> [RandomTree] {
    var trees: [RandomTree] = []
    for (index, child) in children.enumerated() {
      var candidates = child.simpler
      if case .object(let members) = child { candidates += [.scalar("true")] + members.map(\.value) }
      for candidate in candidates {
        var changed = children
        changed[index] = candidate
        trees.append(parent(changed))
      }
    }
    return trees
  }
}
