import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// Chooses which of several records with one key stays, if that isn't the first.
///
///     duplicates     2 errors, at the second and third record with the key 7
///     entries        key 7: three records, and their times
///     losers         the first and second of them, if the last one stays
///
/// Records are matched by their primary keys, as merges match them. Of records with another key that must be unique, the first one stays.
///
/// Memory: a part of the memory limit for the entries, the rest spills to disk; 8 bytes for each record with a key that isn't unique.
struct DuplicateChoice: Sendable {
  private let errors: [LocatedErrors]
  /// The places of the errors, in their order.
  private let faults: [(offset: Int, error: Int)]
  private let skeleton: Skeleton
  private let format: BackupFormat?
  private let keepsNewest: Bool
  private let options: PassOptions

  /// - Parameter errors: the duplicates. Records whose keys are in none of them may be duplicates that the rules allow.
  /// - Throws: `noTime` if the newest is to stay, and the rules name no modification date.
  init(
    _ errors: [LocatedErrors], _ identity: IdentifiedDocument.Identity, _ syntax: JSONSyntax,
    keeping duplicates: InvalidRecords.Duplicates, _ options: PassOptions
  ) throws(CofferError) {
    self.errors = errors
    format = identity.format
    skeleton = Skeleton(try ComparisonFormat.collections(identity.format, identity.rules, keys: [:]))
    keepsNewest = duplicates == .newest
    if keepsNewest, !skeleton.nodes.contains(where: { $0.collection?.fields.time != nil }) {
      throw CofferError(
        .noTime, "which of several records with one key is the newest isn't known: the rules name no modification date")
    }
    var options = options
    options.syntax = syntax
    options.slices = Slicer.Options()
    self.options = options
    faults = errors.enumerated().flatMap { index, errors in errors.offsets.map { (offset: $0, error: index) } }
      .sorted { $0.offset < $1.offset }
  }

  /// Reads the document to its end, and returns the places of the records to leave out.
  func losers(in source: some ByteSource) throws -> [LocatedErrors] {
    let execution = options.execution.unmetered
    let sorter = SpillSorter<RecordEntry>(memory: execution.memoryLimit / 4, folder: execution.temporaryFolder)
    let consumer = EntryConsumer(
      .old, skeleton, format, ignoring: [], limits: options.limits, key: .random(), into: sorter)
    var pass = DocumentPass(source, for: consumer, options: options)
    try pass.run()
    var entries = pass.consumer.sorter
    try entries.finish()
    var offsets = errors.map { _ in [Int]() }
    var matched: Set<Int> = []
    var group: Group?
    func end() {
      guard let group, let error = group.error, !group.losers.isEmpty else { return }
      offsets[error] += group.losers
      matched.formUnion(group.faults)
    }
    while let entry = try entries.next() {
      if !entry.hasKey || !skeleton.isRecord(entry) { continue }
      if group?.winner.hasKey(of: entry) != true {
        end()
        group = Group(winner: entry)
      } else {
        group?.add(entry, keepsNewest: keepsNewest)
      }
      if let fault = fault(in: entry.range) {
        group?.add(fault: fault, of: faults[fault].error)
      }
    }
    end()
    for fault in faults.indices where !matched.contains(fault) { offsets[faults[fault].error].append(faults[fault].offset) }
    return zip(errors, offsets).map { LocatedErrors(kind: .duplicate, rule: $0.rule, offsets: $1) }
  }

  /// The records with one key.
  private struct Group {
    var winner: RecordEntry
    var losers: [Int] = []
    /// The rule that one of them violates, and these errors.
    var error: Int?
    var faults: [Int] = []

    init(winner: RecordEntry) { self.winner = winner }

    mutating func add(_ entry: RecordEntry, keepsNewest: Bool) {
      let wins = keepsNewest ? isNewer(entry) : entry.offset > winner.offset
      losers.append(wins ? winner.offset : entry.offset)
      if wins { winner = entry }
    }

    mutating func add(fault: Int, of error: Int) {
      self.error = self.error ?? error
      faults.append(fault)
    }

    private func isNewer(_ entry: RecordEntry) -> Bool {
      switch (entry.time, winner.time) {
      case (let time?, let other?): time != other ? time > other : entry.offset < winner.offset
      case (.some, nil): true
      case (nil, .some): false
      case (nil, nil): entry.offset < winner.offset
      }
    }
  }

  /// Returns the first error in a range.
  private func fault(in range: Range<Int>) -> Int? {
    var (low, high) = (0, faults.count)
    while low < high {
      let middle = (low + high) / 2
      if faults[middle].offset < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < faults.count && faults[low].offset < range.upperBound ? low : nil
  }
}
