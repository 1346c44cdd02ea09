import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// The records and members to take from the other document, and their places. The plan is complete before anything is written.
///
///     replacements    by place in the existing document: the other document's text for it
///     insertions      by container, in the order in which the existing document closes them, then in the other document's order
///
/// Memory: half of the limit; the rest spills to disk.
final class MergePlan {
  /// A text of the other document.
  struct Text: BitwiseCopyable, Comparable {
    /// The place in the existing document that it replaces, or the closing order of the container that it is added to.
    let order: Int
    let offset: Int
    let length: Int

    var range: Range<Int> { offset..<offset + length }

    static func < (a: Text, b: Text) -> Bool { a.order != b.order ? a.order < b.order : a.offset < b.offset }
  }

  /// A number in either document that declares a count of records.
  struct Count {
    let path: [String]
    /// The number of records in the existing document.
    let existing: Int
    let other: Int
    let merged: Int
  }

  var report = MergeReport()
  private(set) var counts: [Count] = []
  private let rule: ConflictRule
  private let skeleton: Skeleton
  private let facts: (old: DocumentFacts, new: DocumentFacts)
  /// The index of each node's collection in the report.
  private var places: [Int: Int] = [:]
  private var replacements: SpillSorter<Text>
  private var insertions: SpillSorter<Text>
  private var nextInsertion: Text?
  /// Nodes whose newer records can't be determined, and nodes whose newer records follow from the backups' dates.
  private var undecided: Set<Int> = []
  private var chosenByCreation: Set<Int> = []
  /// The first members that hold records without a key, and differ.
  private var wholeMembers: [DifferenceSurvey.Change] = []

  /// - Throws: `CofferError` if a key isn't unique, or no time says which record is newer.
  init(_ reading: inout PairReading, _ options: MergeOptions) throws {
    rule = options.conflicts
    skeleton = reading.skeleton
    facts = reading.facts
    let (memory, folder) = (options.comparison.execution.memoryLimit / 4, options.comparison.execution.temporaryFolder)
    replacements = SpillSorter(memory: memory, folder: folder)
    insertions = SpillSorter(memory: memory, folder: folder)
    for node in skeleton.collectionNodes where !skeleton.nodes[node].isLeftOut && (node != Skeleton.root || reading.isCollection)
    {
      guard let collection = skeleton.nodes[node].collection else { continue }
      places[node] = report.collections.count
      report.collections.append(MergedCollection(pointer: collection.pointer, title: collection.title))
    }
    var duplicate: (RecordEntry, RecordEntry)?
    var clash = false
    try reading.join { outcome in
      switch outcome {
      case .same(let entry): if !entry.isNode { count(entry) { $0.same += 1 } }
      case .onlyOld(let entry, let count): if !entry.isNode { self.count(entry) { $0.onlyInFirst += count } }
      case .onlyNew(let entry): try insert(entry)
      case .changed(let old, let new):
        if old.isNode, new.isNode { clash = true }
        try decide(old, new)
      case .duplicate(let first, let second, _):
        // Pick one, independently of the order of keys.
        if duplicate.map({ (second.side.rawValue, second.offset) < ($0.1.side.rawValue, $0.1.offset) }) ?? true {
          duplicate = (first, second)
        }
      }
    }
    if let (first, second) = duplicate { throw try Self.duplicate(first, second, reading, options.comparison) }
    if clash {
      throw CofferError(
        .differentFormats,
        "\(reading.inputs.old.name) and \(reading.inputs.new.name) can't be merged: one is an array, the other an object"
      )
    }
    if !wholeMembers.isEmpty {
      wholeMembers.sort { $0.offset < $1.offset }
      report.decidedWhole = try ChangeDetails(reading, options.comparison).changes(of: [wholeMembers]).joined()
        .compactMap { $0.old?.pointer }
      if !options.decidesWholeArrays { throw noKey(reading) }
    }
    if !undecided.isEmpty { throw noTime(reading) }
    try replacements.finish()
    try insertions.finish()
    nextInsertion = try insertions.next()
    report.chosenByCreation = titles(of: chosenByCreation)
    counts = reading.format.counts.compactMap(count(of:))
  }

  /// True if the result is the existing document: then the counts are unchanged, too.
  var isEmpty: Bool { replacements.count == 0 && insertions.count == 0 }

  // MARK: Taking

  /// Returns the next replacement, or `nil` at the end.
  func takeReplacement() throws(CofferError) -> Text? { try replacements.next() }

  /// Returns the next text to add to a container of the existing document, or `nil` if there are no more.
  ///
  /// - Parameter closing: the container; all earlier ones are finished.
  func takeInsertion(closing: Int) throws(CofferError) -> Range<Int>? {
    guard let next = nextInsertion, next.order == closing else { return nil }
    nextInsertion = try insertions.next()
    return next.range
  }

  // MARK: Deciding

  private func insert(_ entry: RecordEntry) throws(CofferError) {
    if !entry.isNode { count(entry) { $0.inserted += 1 } }
    // If there is no such container, all of it is taken, as a member of the surrounding one.
    guard let closing = facts.old.closings[Int(entry.node)] else { return }
    try insertions.append(Text(order: closing, offset: entry.offset, length: entry.length))
  }

  private func decide(_ old: RecordEntry, _ new: RecordEntry) throws(CofferError) {
    if old.holdsRecords, new.holdsRecords, wholeMembers.count < MergeReport.decidedWholeLimit {
      wholeMembers.append(DifferenceSurvey.Change(kind: .changed, old: old, new: new))
    }
    if takesNew(old, new) {
      count(old) { $0.replaced += 1 }
      try replacements.append(Text(order: old.offset, offset: new.offset, length: new.length))
    } else {
      count(old) { $0.kept += 1 }
    }
  }

  private func takesNew(_ old: RecordEntry, _ new: RecordEntry) -> Bool {
    // Never replace records with a value that holds none.
    if old.isNode || new.isNode { return !old.isNode }
    switch rule {
    case .keepExisting: return false
    case .replace: return true
    case .keepNewest:
      if let (old, new) = old.time.flatMap({ old in new.time.map { (old, $0) } }) { return new > old }
      let node = skeleton.isRecord(old) ? Int(old.node) : Skeleton.holder
      guard let (old, new) = facts.old.createdAt.flatMap({ old in facts.new.createdAt.map { (old, $0) } }) else {
        undecided.insert(node)
        return false
      }
      chosenByCreation.insert(node)
      return new > old
    }
  }

  private func count(_ entry: RecordEntry, _ body: (inout MergedCollection) -> Void) {
    if skeleton.isRecord(entry), let place = places[Int(entry.node)] {
      body(&report.collections[place])
    } else {
      body(&report.envelope)
    }
  }

  private func count(of declared: RuleDocument.DeclaredCount) -> Count? {
    guard let node = skeleton.node(at: declared.collection), let place = places[node] else { return nil }
    return Count(
      path: declared.path, existing: facts.old.counts[node], other: facts.new.counts[node],
      merged: report.collections[place].count)
  }

  // MARK: Errors

  private static func duplicate(
    _ first: RecordEntry, _ second: RecordEntry, _ reading: PairReading, _ options: ComparisonOptions
  ) throws -> CofferError {
    let input = first.side == .old ? reading.inputs.old : reading.inputs.new
    let change = DifferenceSurvey.Change(kind: .duplicate, old: first, new: second)
    let shown = try ChangeDetails(reading, options).changes(of: [[change]]).first?.first
    func place(_ entry: RecordEntry, _ place: RecordChange.Place?) -> String {
      let position = input.position(at: entry.offset)
      return "\(place?.pointer ?? "") (line \(position.line), column \(position.column))"
    }
    let places = "\(place(first, shown?.old)) and \(place(second, shown?.new))"
    let key = shown?.key ?? ""
    let what =
      first.isMember ? "duplicate members" : key.isEmpty ? "two records with the same key" : "two records with the key \(key)"
    return CofferError(
      .duplicateKey, "\(input.name) has \(what): \(places); which one to merge is ambiguous")
  }

  private func noKey(_ reading: PairReading) -> CofferError {
    let names = [reading.inputs.old.name, reading.inputs.new.name].joined(separator: " and ")
    let pointers = report.decidedWhole.map { $0.isEmpty ? "the root" : $0 }
    let more = pointers.count > 5 ? " and others" : ""
    return CofferError(
      .noKey,
      "\(names) have different records in \(pointers.prefix(5).joined(separator: ", "))\(more), and no key says which of them belong "
        + "together: merged as a whole, those of one backup would be lost")
  }

  private func noTime(_ reading: PairReading) -> CofferError {
    let names = [reading.inputs.old.name, reading.inputs.new.name].joined(separator: " and ")
    return CofferError(
      .noTime,
      "can't tell which records are newer in \(titles(of: undecided).joined(separator: ", ")): "
        + "their records have no modification dates, and \(names) don't both have a creation date")
  }

  private func titles(of nodes: Set<Int>) -> [String] {
    let collections = skeleton.collectionNodes.filter(nodes.contains).compactMap { skeleton.nodes[$0].collection?.title }
    return collections + (nodes.contains(Skeleton.holder) ? ["the document's own members"] : [])
  }
}
