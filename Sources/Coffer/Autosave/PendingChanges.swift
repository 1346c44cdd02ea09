/// Changes that wait for a save, one for each key, in the order in which the keys were first changed.
struct PendingChanges<Key: Hashable & Sendable, Change: Sendable>: Sendable {
  private var places: [Key: Int] = [:]
  /// `nil` where a change was discarded.
  private var list: [(key: Key, change: Change)?] = []

  var count: Int { places.count }
  var changes: [Change] { list.compactMap { $0?.change } }

  /// Adds a change. It takes the place of an earlier one of that key.
  mutating func add(_ change: Change, for key: Key) {
    if let place = places[key] {
      list[place] = (key, change)
    } else {
      places[key] = list.count
      list.append((key, change))
    }
  }

  /// Returns the changes with these indices in ``changes``, and the error that names their keys.
  func keeping(_ errors: [Int: any Error]) -> (PendingChanges, UnsavedKeys<Key>?) {
    var kept = PendingChanges()
    var named: [(Key, any Error)] = []
    for (index, entry) in list.compactMap(\.self).enumerated() {
      guard let error = errors[index] else { continue }
      kept.add(entry.change, for: entry.key)
      named.append((entry.key, error))
    }
    return (kept, named.isEmpty ? nil : UnsavedKeys(errors: named))
  }

  mutating func remove(_ key: Key) {
    if let place = places.removeValue(forKey: key) { list[place] = nil }
    if places.isEmpty { list = [] }
  }

  /// Adds changes that were made later.
  mutating func add(_ later: PendingChanges) { for case let entry? in later.list { add(entry.change, for: entry.key) } }
}
