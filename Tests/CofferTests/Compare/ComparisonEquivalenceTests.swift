import TestSupport
import Testing

@testable import Coffer

/// Comparisons and merges agree with a plain in-memory model, whatever the slices, threads, chunks and memory.
@Suite struct ComparisonEquivalenceTests {
  private let format: BackupFormat
  private let plain = PlainComparison(
    collections: RandomPair.collections, createdAt: ["metadata", "createdAt"], counts: RandomPair.counts.map(\.path))

  init() throws { format = try BackupFormat(descriptor: RandomPair.descriptor) }

  private func options(_ pair: RandomPair, _ random: inout SeededRandom) -> ComparisonOptions {
    var options = ComparisonOptions()
    options.keys = RandomPair.keys(in: String(decoding: pair.old, as: UTF8.self), String(decoding: pair.new, as: UTF8.self))
    options.maximumChanges = [0, 2, 1000][Int(random.next() % 3)]
    options.execution.jobs = 1 + Int(random.next() % 3)
    // With the least memory, about twenty records make a run.
    options.execution.memoryLimit = [0, 1 << 20][Int(random.next() % 2)]
    options.limits.chunkSize = [7, 64, 1 << 16][Int(random.next() % 3)]
    var slices = Slicer.Options()
    slices.sliceSize = [1, 80, 300][Int(random.next() % 3)]
    slices.largestSlice = [300, 1 << 20][Int(random.next() % 2)]
    options.slices = random.next() % 4 == 0 ? nil : slices
    return options
  }

  @Test(arguments: 0..<8) func `a comparison finds the same differences as the plain model`(part: Int) throws {
    for seed in UInt64(part * 25)..<UInt64(part * 25 + TestDepth.count(everyday: 5, deep: 25)) {
      let pair = RandomPair(seed: seed)
      var random = SeededRandom(seed: seed)
      let options = options(pair, &random)
      let (old, new) = (try PlainValue(text: pair.old), try PlainValue(text: pair.new))
      let difference = try Comparer(.format(format), options: options)
        .difference(from: Backup(bytes: pair.old), to: Backup(bytes: pair.new))
      for (collection, found) in zip(RandomPair.collections, difference.collections) {
        let expected = plain.counts(old[collection.path]?.items ?? [], new[collection.path]?.items ?? [], collection)
        let counts = PlainComparison.Counts(same: found.same, changed: found.changed, removed: found.removed, added: found.added)
        #expect(counts == expected, "seed \(seed) \(found.pointer)")
        try check(found, pair, collection, seed)
      }
      let isSame = canonical(old) == canonical(new)
      #expect(difference.isSame == isSame, "seed \(seed)")
    }
  }

  /// A document in which the order of a collection's records is irrelevant.
  private struct Canonical: Equatable {
    var rest: PlainValue
    var collections: [[PlainValue: Int]?] = []
  }

  private func canonical(_ document: PlainValue) -> Canonical {
    var canonical = Canonical(rest: document)
    for collection in RandomPair.collections {
      let items = document[collection.path]?.items
      canonical.collections.append(items.map { Dictionary($0.map { ($0, 1) }, uniquingKeysWith: +) })
      if items != nil { canonical.rest[collection.path] = .array([]) }
    }
    return canonical
  }

  /// Checks that each listed change is at its place and of its kind.
  private func check(
    _ found: CollectionDifference, _ pair: RandomPair, _ collection: PlainComparison.Collection, _ seed: UInt64
  ) throws {
    func record(_ document: [UInt8], _ place: RecordChange.Place?) throws -> PlainValue? {
      guard let place, let index = place.pointer.split(separator: "/").last.flatMap({ Int($0) }) else { return nil }
      return try PlainValue(text: document)[collection.path]?.items?[index]
    }
    for change in found.changes {
      let (old, new) = (try record(pair.old, change.old), try record(pair.new, change.new))
      switch change.kind {
      case .changed:
        let isChanged = old != new && old != nil && new != nil
        #expect(isChanged, "seed \(seed)")
        #expect(!change.fields.isEmpty, "seed \(seed)")
      case .removed: #expect(change.old != nil && change.new == nil)
      case .added: #expect(change.old == nil && change.new != nil)
      case .duplicate: Issue.record("the documents have no duplicate keys")
      }
    }
  }

  @Test(arguments: 0..<8, ConflictRule.allCases)
  func `a merge gives the same document as the plain model, and repeats safely`(part: Int, rule: ConflictRule) throws {
    for seed in UInt64(part * 25)..<UInt64(part * 25 + TestDepth.count(everyday: 5, deep: 25)) {
      let pair = RandomPair(seed: seed)
      let (old, new) = (try PlainValue(text: pair.old), try PlainValue(text: pair.new))
      var random = SeededRandom(seed: seed)
      var options = MergeOptions(conflicts: rule)
      options.decidesWholeArrays = true
      options.comparison = self.options(pair, &random)
      options.layout = random.next() % 3 == 0 ? .pretty(indent: 1) : .compact
      let merger = Merger(.format(format), options: options)
      var sink = MemorySink()
      _ = try merger.merge(Backup(bytes: pair.old), with: Backup(bytes: pair.new), to: &sink)
      let merged = try PlainValue(text: sink.bytes)
      let isAsExpected = merged == plain.merged(old, new, rule, counts: changedCounts(old, new, rule))
      #expect(isAsExpected, "seed \(seed)")

      var again = MemorySink()
      _ = try merger.merge(Backup(bytes: sink.bytes), with: Backup(bytes: pair.new), to: &again)
      let isIdempotent = again.bytes == sink.bytes
      #expect(isIdempotent, "seed \(seed)")

      var same = MemorySink()
      _ = try merger.merge(Backup(bytes: sink.bytes), with: Backup(bytes: sink.bytes), to: &same)
      let isItself = same.bytes == sink.bytes
      #expect(isItself, "seed \(seed)")
    }
  }

  /// Returns the counts that a merge rewrites: those that differ from the document they come from, right or wrong.
  private func changedCounts(
    _ old: PlainValue, _ new: PlainValue, _ rule: ConflictRule
  ) -> [(path: [String], collection: [String])] {
    let merged = plain.merged(old, new, rule, counts: [])
    return RandomPair.counts.filter { path, collection in
      let source = merged[path[0]] == old[path[0]] ? old : new
      return source[collection]?.items?.count ?? 0 != merged[collection]?.items?.count ?? 0
    }
  }
}
