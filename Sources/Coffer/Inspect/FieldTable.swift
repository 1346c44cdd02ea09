import JSONEvents

/// The names of a record's members, and the use of each.
///
/// Nearly all records have the same members in the same order, so the name that followed last time is tried first.
struct FieldTable: Sendable {
  /// The use of a member.
  enum Role: Sendable, Equatable {
    /// A member with a known name and no further use.
    case known
    case date
    /// An array whose items are counted.
    case nested(Int)
    /// A member that names an entry of the container, with the number of the plan's prefix.
    case entry(Int)
  }

  private struct Entry: Sendable {
    let name: KnownName
    let role: Role
    /// The entry that followed last time.
    var successor = -1
  }

  private var entries: ContiguousArray<Entry> = []
  /// The first entry, expected at the start of a record.
  private var first = -1

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ name: String, _ role: Role) { entries.append(Entry(name: KnownName(name), role: role)) }

  /// Returns the entry of a name in an `EventBatch`; -1 if there is none.
  ///
  /// - Parameter previous: the previous member's entry; -1 for a record's first member.
  @inline(__always)
  mutating func find(_ name: ByteView, after previous: Int) -> Int {
    let words = KnownName.Words(name)
    let expected = previous < 0 ? first : entries[previous].successor
    if expected >= 0, entries[expected].name.matches(words) { return expected }
    return search(words, after: previous)
  }

  @inline(never)
  private mutating func search(_ words: KnownName.Words, after previous: Int) -> Int {
    guard let index = entries.firstIndex(where: { $0.name.matches(words) }) else { return -1 }
    if previous < 0 { first = index } else { entries[previous].successor = index }
    return index
  }

  @inline(__always)
  func role(at index: Int) -> Role { entries[index].role }
}
