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
    /// A member whose name the rules don't know. Such names are counted.
    case unknown
  }

  private struct Entry: Sendable {
    let name: KnownName
    let role: Role
    /// The entry that followed last time.
    var successor = -1
    /// The index of an unknown name in the current tally: -1 if it is new, -2 if it isn't kept.
    var place = -1
  }

  private var entries: ContiguousArray<Entry> = []
  /// The first entry, expected at the start of a record.
  private var first = -1
  private var unknownCount = 0
  /// The number of unknown names in the current tally.
  private static let unknownLimit = 64

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ name: String, _ role: Role) { add(Array(name.utf8), role) }

  private mutating func add(_ bytes: [UInt8], _ role: Role) {
    entries.append(Entry(name: KnownName(bytes), role: role))
  }

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

  // MARK: Unknown names

  /// Counts a name that isn't in the table, and adds it, so that later occurrences are cheap to look up.
  mutating func countUnknown(_ name: ByteView, in tally: inout NameTally) {
    let place = tally.place(of: name.prefix(256).string)
    tally.count(at: place)
    guard unknownCount < Self.unknownLimit, name.count <= 256 else { return }
    unknownCount += 1
    add(name.array, .unknown)
    entries[entries.count - 1].place = place ?? -2
  }

  /// Counts an unknown name that is in the table.
  mutating func countUnknown(at index: Int, in tally: inout NameTally) {
    if entries[index].place == -1 {
      entries[index].place = tally.place(of: entries[index].name.string) ?? -2
    }
    tally.count(at: entries[index].place < 0 ? nil : entries[index].place)
  }

  /// Called when a new tally begins.
  mutating func forgetPlaces() {
    if unknownCount == 0 { return }
    for index in entries.indices { entries[index].place = -1 }
  }
}
