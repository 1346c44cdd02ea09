/// Counts the changes to entries, and keeps the first ones of each collection.
struct DifferenceSurvey {
  /// The changes that may be shown: the first ones in the documents' order.
  struct Sample {
    private(set) var changes: [Change] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ change: Change) {
      guard limit > 0 else { return }
      changes.append(change)
      if changes.count >= 2 * limit + 64 { cut() }
    }

    mutating func cut() {
      changes.sort { $0.offset < $1.offset }
      changes.removeLast(max(0, changes.count - limit))
    }
  }

  struct Change {
    let kind: RecordChange.Kind
    let old: RecordEntry?
    let new: RecordEntry?

    var offset: Int { old?.offset ?? new?.offset ?? 0 }
  }

  /// The index of each node's difference; the last one is the envelope's.
  private let places: [Int]
  private var differences: [CollectionDifference] = []
  private var samples: [[RecordChange.Kind: Sample]] = []
  private let limit: Int

  init(_ skeleton: Skeleton, limit: Int) {
    self.limit = limit
    let nodes = skeleton.collectionNodes.filter { !skeleton.nodes[$0].isLeftOut }
    places = skeleton.nodes.indices.map { nodes.firstIndex(of: $0) ?? nodes.count }
    for node in nodes {
      guard let collection = skeleton.nodes[node].collection else { continue }
      differences.append(
        CollectionDifference(
          pointer: collection.pointer, title: collection.title,
          key: collection.fields.key.map { $0.map(\.pointerToken).joined(separator: "/") }))
    }
    differences.append(CollectionDifference(pointer: "", title: "document", key: []))
    samples = Array(repeating: [:], count: differences.count)
  }

  mutating func take(_ outcome: EntryJoin.Outcome) {
    switch outcome {
    // A collection in both documents doesn't count as a member.
    case .same(let entry): if !entry.isNode { count(entry) { $0.same += 1 } }
    case .changed(let old, let new):
      count(old) { $0.changed += 1 }
      add(Change(kind: .changed, old: old, new: new), of: old)
    case .onlyOld(let entry, let count):
      self.count(entry) { $0.removed += count }
      add(Change(kind: .removed, old: entry, new: nil), of: entry)
    case .onlyNew(let entry):
      count(entry) { $0.added += 1 }
      add(Change(kind: .added, old: nil, new: entry), of: entry)
    case .duplicate(let first, let second, let count):
      self.count(first) { $0.duplicates += count - 1 }
      add(Change(kind: .duplicate, old: first, new: second), of: first)
    }
  }

  /// Members of the root are in the envelope, its records in a collection.
  private func place(of entry: RecordEntry) -> Int {
    entry.isMember ? differences.count - 1 : places[Int(entry.node)]
  }

  private mutating func count(_ entry: RecordEntry, _ body: (inout CollectionDifference) -> Void) {
    body(&differences[place(of: entry)])
  }

  private mutating func add(_ change: Change, of entry: RecordEntry) {
    samples[place(of: entry)][change.kind, default: Sample(limit: limit)].add(change)
  }

  /// Returns the differences of the collections and of the envelope, with their changes in detail.
  mutating func finished(_ details: ChangeDetails) throws -> (collections: [CollectionDifference], envelope: CollectionDifference)
  {
    var changes: [[Change]] = []
    for place in samples.indices {
      changes.append([])
      for kind in RecordChange.Kind.allCases {
        guard var sample = samples[place][kind] else { continue }
        sample.cut()
        changes[place] += sample.changes
      }
    }
    let detailed = try details.changes(of: changes)
    for place in differences.indices { differences[place].changes = detailed[place] }
    return (Array(differences.dropLast()), differences[differences.count - 1])
  }
}
