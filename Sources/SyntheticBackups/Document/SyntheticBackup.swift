public import ByteStreams
public import JSONEvents

/// A synthetic backup of a format: generated from a seed, of any size.
///
/// It satisfies every rule of its format except for the requested defects. Equal options give equal bytes on every platform.
///
/// Time: about three seconds per gigabyte. Memory: well below a megabyte, whatever the size; the document is never stored.
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
    public enum CollectionOrder: Sendable, Hashable {
      /// The format's order: by name, unless its hints say otherwise.
      case sorted
      /// The opposite order, so that references come before their targets where they otherwise come after them.
      case reversed
    }

    /// The target size in bytes. From 1 MB on, the document is within 2 % of it; the minimum is about 8 KB. Defects that add or
    /// remove members are not counted. If the rules bound every collection, the document is no larger than they allow.
    public var size: Int
    public var seed: UInt64
    /// The number of defects of each kind.
    public var defects: [DefectKind: Int]
    public var layout: JSONEventWriter.Layout
    public var collectionOrder: CollectionOrder

    public init(
      size: Int, seed: UInt64 = 1, defects: [DefectKind: Int] = [:], layout: JSONEventWriter.Layout = .pretty(indent: 2),
      collectionOrder: CollectionOrder = .sorted
    ) {
      self.size = size
      self.seed = seed
      self.defects = defects
      self.layout = layout
      self.collectionOrder = collectionOrder
    }
  }

  /// A summary of the written document.
  public struct Summary: Sendable, Hashable {
    public let bytes: Int
    public let records: RecordCounts
    /// The number of planted defects.
    public let defects: Int
    /// True if every collection has its maximum length: no larger document is possible, whatever size is requested.
    public let isLargest: Bool
  }

  private let options: Options
  private let format: SyntheticFormat
  private let population: Population
  private let allocation: DefectAllocation

  /// Determines the record counts and the records that carry defects. Takes a few milliseconds, because it writes samples.
  ///
  /// - Throws: `too-many-defects` if the document is too small for them, `no-such-defects` if the format has none of a kind.
  public init(of format: SyntheticFormat, options: Options) throws(CofferError) {
    let layout = TreeLayout(options.layout, escapesSlashes: format.plan.escapesSlashes)
    try self.init(
      of: format, options: options,
      counts: SizeCalibration(plan: format.plan, seed: options.seed, layout: layout).counts(for: options.size))
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
    if options.defects.allSatisfy({ $0.value == 0 }) {
      allocation = .none
    } else {
      let kinds = DefectKind.allCases.filter { options.defects[$0, default: 0] != 0 }
      let variants = format.variants(of: Set(kinds))
      if let kind = kinds.first(where: { kind in !variants.contains { $0.kind == kind } }) {
        throw .noSuchDefects(kind, known: format.defectKinds, format.name)
      }
      allocation = try DefectAllocation(of: options.defects, among: variants, room: { Self.room($0, plan, counts) })
    }
    let allocation = allocation
    population = Population(
      seed: options.seed, counts: counts, defects: counts.indices.map { allocation.defects(at: .collection($0)) }, plan: plan)
  }

  private static func room(_ site: DefectVariant.Site, _ plan: Plan, _ counts: [Int]) -> Int {
    switch site {
    case .collection(let number): SlotSpacing.capacity(records: counts[number], firstValid: plan.collections[number].heads.count)
    case .envelope: 1
    case .archive: ArchivePlan.strayLimit
    }
  }

  /// Writes the document to `sink`, then passes each part of its archive to `part`, one by one.
  package func writeArchive(
    to sink: inout some ByteSink, ledger: (LedgerEntry) throws(CofferError) -> Void,
    part: (ArchivePart) throws(CofferError) -> Void
  ) throws(CofferError) -> Summary {
    guard let archive = format.archive else { preconditionFailure("the format has no archive layout") }
    let layout = TreeLayout(options.layout, escapesSlashes: format.plan.escapesSlashes)
    var document = DocumentWriter(plan: format.plan, population: population, layout: layout, allocation: allocation)
    var defects = 0
    try document.write(to: &sink) { _, _, entry throws(CofferError) in
      defects += 1
      try ledger(entry)
    }
    try part(.document(name: archive.metadata))
    for side in archive.documents { try part(.sideDocument(name: side.name, bytes: document.write(side, layout))) }
    try document.forEachFile { name, bytes throws(CofferError) in try part(.file(name: name, bytes: bytes)) }
    for (variant, tally) in zip(allocation.variants, allocation.tallies) {
      guard case .stray(let start, let end) = variant.change else { continue }
      for number in 0..<tally {
        let name = "\(start)\(number + 1)\(end)"
        try part(
          .file(name: name, bytes: SyntheticPhoto.bytes(seed: options.seed, stream: format.plan.collections.count, index: number))
        )
        defects += 1
        try ledger(LedgerEntry(code: variant.code, pointer: "", entry: name, value: nil))
      }
    }
    return Summary(bytes: document.byteCount, records: recordCounts, defects: defects, isLargest: isLargest)
  }

  private var isLargest: Bool {
    SizeCalibration(
      plan: format.plan, seed: options.seed, layout: TreeLayout(options.layout, escapesSlashes: format.plan.escapesSlashes)
    ).isLargest(population.counts)
  }

  private var recordCounts: RecordCounts {
    let pairs = zip(format.plan.collections, population.counts).filter { $0.0.array >= 0 }.map { ($0.pointer, $1) }
    return RecordCounts(Dictionary(pairs) { first, _ in first })
  }

  /// Writes the document to `sink`, and passes each planted defect to `ledger`, in document order.
  public func write(
    to sink: inout some ByteSink, ledger: (LedgerEntry) throws(CofferError) -> Void = { _ throws(CofferError) in }
  ) throws(CofferError) -> Summary {
    var document = DocumentWriter(
      plan: format.plan, population: population, layout: TreeLayout(options.layout, escapesSlashes: format.plan.escapesSlashes),
      allocation: allocation, isReversed: options.collectionOrder == .reversed)
    var defects = 0
    try document.write(to: &sink) { _, _, entry throws(CofferError) in
      defects += 1
      try ledger(entry)
    }
    return Summary(bytes: document.byteCount, records: recordCounts, defects: defects, isLargest: isLargest)
  }
}
