import Rules

/// A copy of a plan that shares no memory with it, for a thread of its own.
///
/// Drawing a value counts references to its recipe. Two threads that count references to the same memory wait for each other: they
/// take longer than one.
extension Plan {
  func copied() -> Plan {
    var plan = self
    plan.root = root.copied()
    plan.collections = collections.map { collection in
      var copy = collection
      copy.branches = collection.branches.map { $0.copied() }
      (copy.heads, copy.body) = (collection.heads.map(\.self), collection.body.map(\.self))
      return copy
    }
    return plan
  }
}

extension Branch {
  fileprivate func copied() -> Branch {
    var branch = self
    branch.members = members.map { member in
      var copy = member
      (copy.name, copy.recipe) = (member.name.copied(), member.recipe.copied())
      return copy
    }
    return branch
  }
}

extension Recipe {
  fileprivate func copied() -> Recipe {
    switch self {
    case .among(let values): return .among(values.map { $0.copied() })
    case .distinct(let values): return .distinct(values.map { $0.copied() })
    case .number(var numbers):
      numbers.bounds = numbers.bounds.map { ($0.place.copied(), $0.comparison, $0.offset) }
      return .number(numbers)
    case .text(let parts):
      return .text(parts.map { if case .among(let texts) = $0 { .among(texts.map { $0.copied() }) } else { $0 } })
    case .key(var reference):
      reference.field = reference.field.map { $0.copied() }
      return .key(reference)
    case .copy(let place, let prefix): return .copy(place.copied(), prefix: prefix?.copied())
    case .item(let place, let member): return .item(place.copied(), member: member?.copied())
    case .object(let branches): return .object(branches.map { $0.copied() })
    case .array(let prefix, let item, let count):
      return .array(prefix: prefix.map { $0.copied() }, item: item?.copied(), count: count)
    case .choice(let choices): return .choice(choices.map { $0.copied() })
    case .uuid, .collection, .count, .sum, .fileSize, .fileDigest: return self
    }
  }
}

extension ValuePlace {
  fileprivate func copied() -> ValuePlace { ValuePlace(up: up, path: path.map { $0.copied() }) }
}

extension JSONValue {
  /// Arrays and objects are rare, and stay shared.
  fileprivate func copied() -> JSONValue {
    switch self {
    case .string(let text): .string(text.copied())
    case .number(let text): .number(text.copied())
    case .null, .boolean, .array, .object: self
    }
  }
}

extension String {
  fileprivate func copied() -> String { String(decoding: Array(utf8), as: UTF8.self) }
}
