import BackupFormats
public import ByteStreams
public import JSONEvents
import Pipelines

/// A synthetic backup of a format: generated from a seed, of any size.
///
/// It satisfies every rule of its format except for the requested defects. Equal options give equal bytes on every platform.
///
/// Time: up to ten seconds per gigabyte and processor. Memory: about a megabyte per thread, whatever the size; the document is never
/// stored.
///
/// For example:
///
///     let format = try SyntheticFormat(FormatCatalog.builtIn["ev-charging-tracker"]!)
///     let backup = try SyntheticBackup(of: format, options: .init(size: 1 << 30, seed: 7, defects: [.reference: 3]))
///     let summary = try backup.write(to: &file) { entry in print(entry.pointer) }
///     // /delayedNotifications/4067/maintenanceRecord
///     // /expenses/1627009/carId
///     // /plannedMaintenance/8135/carId
public struct SyntheticBackup: Sendable {
  public struct Options: Sendable {
    /// The target size in bytes. From 1 MB on, the document is within 2 % of it; the minimum is about 8 KB. Defects that add or
    /// remove members are not counted. If the rules bound every collection, the document is no larger than they allow.
    public var size: Int
    public var seed: UInt64
    /// The number of defects of each kind.
    public var defects: [DefectKind: Int]
    public var layout: JSONEventWriter.Layout
    /// The number of threads, including the caller's (default: all processors). The bytes are the same with any number.
    public var jobs = Execution.processorCount

    public init(
      size: Int, seed: UInt64 = 1, defects: [DefectKind: Int] = [:], layout: JSONEventWriter.Layout = .pretty(indent: 2)
    ) {
      self.size = size
      self.seed = seed
      self.defects = defects
      self.layout = layout
    }
  }

  /// A summary of the written document.
  public struct Summary: Sendable, Hashable {
    public let bytes: Int
    public let records: RecordCounts
    /// The number of planted defects.
    public fileprivate(set) var defects: Int
    /// True if every collection has its maximum length: no larger document is possible, whatever size is requested.
    public let isLargest: Bool
  }

  private let options: Options
  private let format: SyntheticFormat
  private let population: Population

  /// Determines the record counts and the records that carry defects. Takes up to a tenth of a second, because it writes samples.
  ///
  /// - Throws: `too-many-defects` if the document is too small for them, `no-such-defects` if the format has none of a kind.
  public init(of format: SyntheticFormat, options: Options) throws(CofferError) {
    let counts = format.plan.counts(for: options)
    try self.init(of: format, options: options, counts: counts)
  }

  /// Creates a document with given record counts by collection pointer, of any size. Collections that aren't named get `others`
  /// records.
  package init(of format: SyntheticFormat, options: Options, counts: RecordCounts, others: Int = 3) throws(CofferError) {
    let counts = format.plan.collections.map { collection in
      min(collection.most, max(collection.heads.count, counts.byCollection[collection.pointer] ?? others))
    }
    try self.init(of: format, options: options, counts: counts)
  }

  private init(of format: SyntheticFormat, options: Options, counts: [Int]) throws(CofferError) {
    self.options = options
    self.format = format
    let plan = format.plan
    var allocation = DefectAllocation()
    let kinds = DefectKind.allCases.filter { options.defects[$0, default: 0] != 0 }
    if !kinds.isEmpty {
      let variants = format.variants(of: Set(kinds))
      if let kind = kinds.first(where: { kind in !variants.contains { $0.kind == kind } }) {
        throw .noSuchDefects(kind, known: format.defectKinds, format.name)
      }
      allocation = try DefectAllocation(of: options.defects, among: variants) { site in
        switch site {
        case .collection(let number):
          SlotSpacing.capacity(records: counts[number], firstValid: plan.collections[number].heads.count)
        case .envelope: 1
        case .archive: ArchivePlan.strayLimit
        }
      }
    }
    population = Population(seed: options.seed, counts: counts, allocation: allocation, plan: plan)
  }

  /// Writes the document to `sink`, and passes each planted defect to `ledger`, in document order.
  public func write(
    to sink: inout some ByteSink, ledger: (LedgerEntry) throws(CofferError) -> Void = { _ throws(CofferError) in }
  ) throws(CofferError) -> Summary {
    var document = DocumentWriter(format.plan, population, layout: options.layout, jobs: options.jobs)
    return try write(&document, to: &sink, ledger: ledger)
  }

  /// Writes the document to `sink`, then passes each part of its archive to `part`, one by one.
  package func writeArchive(
    to sink: inout some ByteSink, ledger: (LedgerEntry) throws(CofferError) -> Void,
    part: (ArchivePart) throws(CofferError) -> Void
  ) throws(CofferError) -> Summary {
    guard let archive = format.archive else { preconditionFailure("the format has no archive layout") }
    var document = DocumentWriter(format.plan, population, layout: options.layout, jobs: options.jobs)
    var summary = try write(&document, to: &sink, ledger: ledger)
    try part(.document(name: archive.layout.metadata))
    for (name, bytes) in try archive.documents(agreeingWith: document.drawer, layout: options.layout) {
      try part(.sideDocument(name: name, bytes: bytes))
    }
    try document.forEachFile { name, bytes throws(CofferError) in try part(.file(name: name, bytes: bytes)) }
    let allocation = population.allocation
    for (variant, tally) in zip(allocation.variants, allocation.tallies) {
      guard case .stray(let start, let end) = variant.change else { continue }
      for number in 0..<tally {
        let name = "\(start)\(number + 1)\(end)"
        let photo = SyntheticPhoto.bytes(seed: options.seed, stream: format.plan.collections.count, index: number)
        try part(.file(name: name, bytes: photo))
        try ledger(LedgerEntry(code: variant.code, pointer: "", entry: name, value: nil))
        summary.defects += 1
      }
    }
    return summary
  }

  private func write(
    _ document: inout DocumentWriter, to sink: inout some ByteSink, ledger: (LedgerEntry) throws(CofferError) -> Void
  ) throws(CofferError) -> Summary {
    let allocation = population.allocation
    var missing = allocation.tallies
    try document.write(to: &sink) { number, _, entry throws(CofferError) in
      missing[number] -= 1
      try ledger(entry)
    }
    for (variant, count) in zip(allocation.variants, missing) where count > 0 && variant.site != .archive {
      let message = "\(count) of the records chosen for defects of kind \(variant.kind.rawValue) have no place; try another seed"
      throw CofferError(.tooManyDefects, message)
    }
    let described = zip(format.plan.collections, population.counts).filter(\.0.isDescribed)
    let records = RecordCounts(Dictionary(uniqueKeysWithValues: described.map { ($0.pointer, $1) }))
    let defects = allocation.tallies.reduce(0, +) - missing.reduce(0, +)
    return Summary(
      bytes: document.byteCount, records: records, defects: defects, isLargest: format.plan.isLargest(population.counts))
  }
}

/// The number of records in each collection of a backup.
public struct RecordCounts: Sendable, Hashable {
  /// Counts by the collection's pointer.
  public let byCollection: [String: Int]

  public init(_ byCollection: [String: Int]) { self.byCollection = byCollection }

  public var total: Int { byCollection.values.reduce(0, +) }

  /// The number of records in the collection at a pointer.
  public subscript(pointer: String) -> Int { byCollection[pointer] ?? 0 }
}

/// Determines the record counts for a document of a given size, by writing and measuring samples.
///
/// The counts must be known before the first byte is written, because references point forwards. A sample is spread over each
/// whole collection, because ids and mileages grow longer towards its end.
extension Plan {
  /// The mean of 2048 records is within 0.5 % of the true one if records are similar.
  private static let sample = 2048
  /// A change in the counts changes the size per record by a twentieth of it, so a few rounds converge.
  private static let rounds = 5
  /// A limit far above the records of any document, but small enough to compute with.
  private static let countLimit = 1e15

  /// Returns the record count of each collection.
  func counts(for options: SyntheticBackup.Options) -> [Int] {
    let size = Double(options.size)
    var scale = size / 300 / Double(max(1, collections.reduce(0) { $0 + $1.share }))
    for _ in 0..<Self.rounds {
      let counts = counts(scale: scale)
      // Collections limited by others don't grow with the scale.
      let larger = self.counts(scale: min(scale * 4, Self.countLimit))
      let (scaled, fixed) = measure(counts, options, grows: { larger[$0] > counts[$0] })
      guard scaled > 0 else { break }
      let next = scale * max(0, size - fixed) / scaled
      if abs(next - scale) < scale * 0.0005 { return self.counts(scale: next) }
      scale = min(next, Self.countLimit)
    }
    return counts(scale: scale)
  }

  /// Returns true if every collection has the maximum number of records that the rules allow.
  func isLargest(_ counts: [Int]) -> Bool {
    let most = self.counts(scale: Self.countLimit)
    return collections.indices.allSatisfy { !collections[$0].isDescribed || counts[$0] >= most[$0] }
  }

  func counts(scale: Double) -> [Int] {
    var counts = collections.map { collection in
      min(collection.most, max(collection.least, Int(min(scale * Double(collection.share), Self.countLimit).rounded())))
    }
    for _ in collections {
      for (index, collection) in collections.enumerated() {
        for other in collection.noMoreThan { counts[index] = min(counts[index], counts[other]) }
      }
    }
    return counts
  }

  /// Returns the bytes of the collections that grow with the document, and of everything else.
  private func measure(
    _ counts: [Int], _ options: SyntheticBackup.Options, grows: (Int) -> Bool
  ) -> (scaled: Double, fixed: Double) {
    let population = Population(seed: options.seed, counts: counts, plan: self)
    // The envelope, with empty collections.
    let empty = Population(seed: options.seed, counts: counts.map { _ in 0 }, plan: self)
    var envelope = DocumentWriter(self, empty, layout: options.layout)
    var sink = CountingSink()
    var scaled = 0.0
    var described = collections.indices.filter { collections[$0].isDescribed }.makeIterator()
    do {
      try envelope.write(to: &sink) { _, _, _ throws(CofferError) in }
      var fixed = Double(envelope.byteCount)
      _ = try OrderedPipeline(jobs: options.jobs, stackSize: RecordWriter.stackSize).run(
        next: { described.next() },
        makeWorker: {
          { number in
            var writer = RecordWriter(of: number, self, population, layout: options.layout)
            return writer.size(sample: Self.sample)
          }
        },
        merge: { number, bytes in
          if counts[number] > collections[number].least, grows(number) { scaled += bytes } else { fixed += bytes }
          return .more
        })
      return (scaled, fixed)
    } catch {
      preconditionFailure("a counting sink failed: \(error)")
    }
  }
}

extension CofferError.Code {
  public static let tooManyDefects = Self(rawValue: "too-many-defects")
  public static let negativeDefects = Self(rawValue: "negative-defects")
  /// The format can't have defects of this kind, or the generator doesn't know how to plant them.
  public static let noSuchDefects = Self(rawValue: "no-such-defects")
  /// The rules don't constrain a value enough to generate it.
  public static let hintNeeded = Self(rawValue: "hint-needed")
  /// No document satisfies the rules, as far as the generator can tell.
  public static let impossible = Self(rawValue: "impossible")
  /// The format's backups aren't archives.
  public static let noArchive = Self(rawValue: "no-archive")
}

extension CofferError {
  /// - Parameter isInRecords: True if a larger document has room for more.
  static func tooManyDefects(_ kind: DefectKind, asked: Int, possible: Int, isInRecords: Bool) -> CofferError {
    let advice =
      isInRecords
      ? "make the document larger: at most every second record carries a defect"
      : "a document has no more places for them, whatever its size"
    return CofferError(
      .tooManyDefects, "cannot plant \(asked) defects of kind \(kind.rawValue), only \(possible): \(advice)")
  }

  static func negativeDefects(_ kind: DefectKind) -> CofferError {
    CofferError(.negativeDefects, "cannot plant a negative number of defects of kind \(kind.rawValue)")
  }

  static func noSuchDefects(_ kind: DefectKind, known: [DefectKind], _ format: String) -> CofferError {
    let list = known.isEmpty ? "none" : known.map(\.rawValue).joined(separator: ", ")
    return CofferError(
      .noSuchDefects, "\(format) has no defects of kind \(kind.rawValue); it has \(list)")
  }

  static func hintNeeded(_ pointer: String, _ reason: String) -> CofferError {
    CofferError(
      .hintNeeded,
      "cannot generate values for \(place(pointer)): \(reason) (add hints in backup.generate.values of the rule document)"
    )
  }

  package static func noArchive(_ format: String) -> CofferError {
    CofferError(
      .noArchive, "backups of \(format) are not ZIP archives: a descriptor describes archives in backup.archive")
  }

  static func impossible(_ pointer: String, _ reason: String) -> CofferError {
    CofferError(.impossible, "cannot generate \(place(pointer)): \(reason)")
  }

  private static func place(_ pointer: String) -> String { pointer.isEmpty ? "the document" : "'\(pointer)'" }
}
