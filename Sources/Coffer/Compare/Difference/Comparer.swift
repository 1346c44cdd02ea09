/// Compares two backups of one format, record by record.
///
/// For example:
///
///     let comparer = Comparer(.detected(.builtIn))
///     let difference = try comparer.difference(from: Backup(path: "monday.json"), to: Backup(path: "friday.json"))
///     difference.collections.first?.changed        // 12
///
/// Records are matched by the key that the format names. In a collection without a key, and if a key is missing, they are
/// compared as whole values, which may repeat: only their number matters.
///
/// Documents of no known format get keys that their values allow, unless some are given: two more passes, and `RuleDrafter`'s memory.
///
/// Cost: one pass over each document on all threads, and a sort of 80 bytes a record, in memory as far as the options' limit
/// allows, else on disk. So memory doesn't depend on the documents' sizes. Changes that are shown in detail are read again.
public struct Comparer: Sendable {
  private let rules: RuleSource
  private let options: ComparisonOptions

  /// Creates a comparer for any number of pairs. It reads and compiles nothing yet.
  ///
  /// - Parameters:
  ///   - rules: which arrays hold records, and their keys. `detected` uses the backups' common format; in documents of unknown
  ///     format, arrays are compared as a whole, unless the options name a key.
  ///   - options: how to compare the backups, and how many changes to keep in detail.
  public init(_ rules: RuleSource, options: ComparisonOptions = ComparisonOptions()) {
    self.rules = rules
    self.options = options
  }

  /// Reads both backups completely, and returns the differences.
  ///
  /// - Throws: `CofferError` if a backup can't be read completely, or the two have nothing in common, or if
  ///   the rules don't have a requested collection; `CancellationError`; `CofferError` of temporary files.
  public func difference(from old: Backup, to new: Backup) throws -> BackupDifference {
    try difference(from: ComparedInput(old, options: options), to: ComparedInput(new, options: options))
  }

  func difference(from old: ComparedInput, to new: ComparedInput) throws -> BackupDifference {
    options.execution.progress?.expect(old.byteCount(ofPasses: 1) &+ new.byteCount(ofPasses: 1))
    let format = try ComparisonFormat(of: (old, new), rules: rules, options)
    var reading = try PairReading((old, new), by: format, memory: options.execution.memoryLimit, options)
    var survey = DifferenceSurvey(reading.skeleton, limit: options.maximumChanges)
    try options.execution.progress.saying("comparing records") { try reading.join { survey.consume($0) } }
    let details = ChangeDetails(reading, options)
    var (collections, envelope) = try survey.finished(details)
    if !reading.isCollection { collections.removeAll { $0.pointer.isEmpty } }
    func document(_ input: ComparedInput, _ facts: DocumentFacts) -> BackupDifference.Document {
      BackupDifference.Document(name: input.name, bytes: facts.bytes, version: format.version(of: facts))
    }
    return BackupDifference(
      old: document(old, reading.facts.old), new: document(new, reading.facts.new), format: format.name, collections: collections,
      envelope: envelope)
  }
}

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
  private let skeleton: Skeleton
  private var differences: [CollectionDifference] = []
  private var samples: [[RecordChange.Kind: Sample]] = []
  private let limit: Int

  init(_ skeleton: Skeleton, limit: Int) {
    self.skeleton = skeleton
    self.limit = limit
    let nodes = skeleton.collectionNodes.filter { !skeleton.nodes[$0].isLeftOut }
    places = skeleton.nodes.indices.map { nodes.firstIndex(of: $0) ?? nodes.count }
    for node in nodes {
      guard let collection = skeleton.nodes[node].collection else { continue }
      differences.append(
        CollectionDifference(
          pointer: collection.pointer, title: collection.title,
          key: collection.isObject
            ? [Schema.recordName] : collection.fields.key.map { $0.map(\.pointerToken).joined(separator: "/") }))
    }
    differences.append(CollectionDifference(pointer: "", title: "document", key: []))
    samples = Array(repeating: [:], count: differences.count)
  }

  mutating func consume(_ outcome: EntryJoin.Outcome) {
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
    skeleton.isRecord(entry) ? places[Int(entry.node)] : differences.count - 1
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
