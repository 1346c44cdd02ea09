@testable import Coffer

/// A value of a small document in memory, which equals any spelling of the same value: the model of the tests.
indirect enum PlainValue: Hashable {
  case null
  case boolean(Bool)
  case number(ExactDecimal)
  case string(String)
  case array([PlainValue])
  /// Member names may be duplicates.
  case object([String: [PlainValue]])

  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .boolean(let boolean): self = .boolean(boolean)
    // The reader accepts no other text.
    case .number(let text): self = ExactDecimal(text).map(PlainValue.number) ?? .string(text)
    case .string(let text): self = .string(text)
    case .array(let items): self = .array(items.map { PlainValue($0.value) })
    case .object(let members):
      self = .object(
        Dictionary(members.map { ($0.key, [PlainValue($0.value.value)]) }) { $0 + $1 })
    }
  }

  init(text: some Sequence<UInt8>) throws { self.init(try JSONValue.read(MemorySource(text)).value) }

  subscript(name: String) -> PlainValue? {
    get { if case .object(let members) = self { members[name]?.last } else { nil } }
    set {
      guard case .object(var members) = self else { return }
      members[name] = newValue.map { [$0] }
      self = .object(members)
    }
  }

  subscript(path: [String]) -> PlainValue? {
    get { path.reduce(Optional(self)) { $0?[$1] } }
    set {
      guard let first = path.first else {
        if let newValue { self = newValue }
        return
      }
      var member = self[first] ?? .object([:])
      member[Array(path.dropFirst())] = newValue
      self[first] = path.count == 1 ? newValue : member
    }
  }

  var items: [PlainValue]? { if case .array(let items) = self { items } else { nil } }
  var isObject: Bool { if case .object = self { true } else { false } }
  var names: [String] { if case .object(let members) = self { Array(members.keys) } else { [] } }
}

/// The plain way to compare and merge: dictionaries of parsed values in memory.
struct PlainComparison {
  struct Collection {
    let path: [String]
    let key: [[String]]
    var ignoresCase = false
    var modified: String?
  }

  struct Counts: Equatable {
    var same = 0
    var changed = 0
    var removed = 0
    var added = 0
  }

  let collections: [Collection]
  let createdAt: [String]
  /// The numbers that are not compared.
  let counts: [[String]]

  func key(of record: PlainValue, _ collection: Collection) -> [PlainValue]? {
    if collection.key.isEmpty { return nil }
    var key: [PlainValue] = []
    for path in collection.key {
      switch record[path] {
      case nil, .null, .array, .object: return nil
      case .string(let text)? where collection.ignoresCase: key.append(.string(text.lowercased()))
      case .some(let value): key.append(value)
      }
    }
    return key
  }

  /// Returns the counts of differences in one collection, whose keys must be unique.
  func counts(_ old: [PlainValue], _ new: [PlainValue], _ collection: Collection) -> Counts {
    var counts = Counts()
    var keyed: [[PlainValue]: PlainValue] = [:]
    var unkeyed: [PlainValue: Int] = [:]
    for record in old {
      if let key = key(of: record, collection) { keyed[key] = record } else { unkeyed[record, default: 0] += 1 }
    }
    for record in new {
      if let key = key(of: record, collection) {
        if let former = keyed.removeValue(forKey: key) {
          if former == record { counts.same += 1 } else { counts.changed += 1 }
        } else {
          counts.added += 1
        }
      } else if let count = unkeyed[record], count > 0 {
        unkeyed[record] = count - 1
        counts.same += 1
      } else {
        counts.added += 1
      }
    }
    counts.removed = keyed.count + unkeyed.values.reduce(0, +)
    return counts
  }

  // MARK: Merging

  func merged(_ old: PlainValue, _ new: PlainValue, _ rule: ConflictRule, counts: [(path: [String], collection: [String])])
    -> PlainValue
  {
    var result = mergedObject(old, new, at: [], rule, isNewer: time(new, createdAt) > time(old, createdAt))
    for (path, collection) in counts {
      guard let items = result[collection]?.items, case .number? = result[path], let count = ExactDecimal(String(items.count))
      else {
        continue
      }
      result[path] = .number(count)
    }
    return result
  }

  private func time(_ value: PlainValue, _ path: [String]) -> Instant {
    if case .string(let text)? = value[path], let instant = Instant(text) { instant } else { Instant(seconds: .min) }
  }

  private func mergedObject(
    _ old: PlainValue, _ new: PlainValue, at path: [String], _ rule: ConflictRule, isNewer: Bool
  ) -> PlainValue {
    var result = old
    for name in new.names {
      guard let theirs = new[name] else { continue }
      guard let ours = old[name] else {
        result[name] = theirs
        continue
      }
      let inner = path + [name]
      if let collection = collections.first(where: { $0.path == inner }), ours.items != nil || theirs.items != nil {
        if let old = ours.items, let new = theirs.items {
          result[name] = .array(merged(old, new, collection, rule, isNewer))
        } else if theirs.items != nil {
          result[name] = theirs
        }
      } else if collections.contains(where: { $0.path != inner && $0.path.starts(with: inner) }), ours.isObject || theirs.isObject
      {
        // A value that leads to records is never replaced by one that doesn't.
        result[name] =
          !ours.isObject ? theirs : !theirs.isObject ? ours : mergedObject(ours, theirs, at: inner, rule, isNewer: isNewer)
      } else if withoutCounts(ours, at: inner) != withoutCounts(theirs, at: inner),
        rule == .replace || rule == .keepNewest && isNewer
      {
        result[name] = theirs
      }
    }
    return result
  }

  private func withoutCounts(_ value: PlainValue, at path: [String]) -> PlainValue {
    var value = value
    for count in counts where count.starts(with: path) {
      let rest = Array(count.dropFirst(path.count))
      if case .number? = value[rest] { value[rest] = .boolean(true) }
    }
    return value
  }

  private func merged(
    _ old: [PlainValue], _ new: [PlainValue], _ collection: Collection, _ rule: ConflictRule, _ isNewer: Bool
  ) -> [PlainValue] {
    var result = old
    var places: [[PlainValue]: Int] = [:]
    var unkeyed: [PlainValue: Int] = [:]
    for (index, record) in old.enumerated() {
      if let key = key(of: record, collection) { places[key] = index } else { unkeyed[record, default: 0] += 1 }
    }
    for record in new {
      guard let key = key(of: record, collection) else {
        let count = unkeyed[record] ?? 0
        if count > 0 { unkeyed[record] = count - 1 } else { result.append(record) }
        continue
      }
      guard let place = places[key] else {
        result.append(record)
        continue
      }
      guard result[place] != record else { continue }
      var takes = rule == .replace || rule == .keepNewest && isNewer
      if rule == .keepNewest, let field = collection.modified, case .string(let ours)? = result[place][field],
        case .string(let theirs)? = record[field], let ours = Instant(ours), let theirs = Instant(theirs)
      {
        takes = theirs > ours
      }
      if takes { result[place] = record }
    }
    return result
  }
}
