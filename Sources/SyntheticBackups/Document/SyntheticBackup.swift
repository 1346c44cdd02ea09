public import ByteStreams
public import JSONEvents

/// A backup of the EV charging tracker (the shipped app's dialect, schema 9), made up from a seed, of any size.
///
/// It obeys every rule of its format except for the defects asked for. The same options give the same bytes on every platform.
///
/// Time: about five seconds a gigabyte, most of them yajl_gen's. Memory: well below a megabyte, whatever the
/// size; nothing of the document is stored.
///
/// For example:
///
///     let backup = try SyntheticBackup(options: .init(size: 1 << 30, seed: 7, defects: [.reference: 3]))
///     let summary = try backup.write(to: &file) { entry in print(entry.pointer) }
///     // /delayedNotifications/4067/maintenanceRecord
///     // /expenses/1627009/carId
///     // /plannedMaintenance/8135/carId
public struct SyntheticBackup: Sendable {
  public struct Options: Sendable {
    public enum CollectionOrder: Sendable, Hashable {
      /// By name, as the app writes them.
      case sorted
      /// Against it, so that references come before what they refer to where they otherwise come after it.
      case reversed
    }

    /// The bytes aimed at. The document comes within 2 % of it from 1 MB on; below about 8 KB it gets no smaller. Defects that add or
    /// remove members are not counted.
    public var size: Int
    public var seed: UInt64
    /// How many defects of each kind.
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

  /// What was written.
  public struct Summary: Sendable, Hashable {
    public let bytes: Int
    public let records: RecordCounts
    /// The number of planted defects.
    public let defects: Int
  }

  private let options: Options
  private let population: Population
  private let allocation: DefectAllocation

  /// Settles how many records the document has and which of them carry a defect. Takes some milliseconds, for it writes samples.
  ///
  /// - Throws: `too-many-defects` if the document is too small for all of them.
  public init(options: Options) throws(SyntheticBackupError) {
    try self.init(options: options, counts: SizeCalibration(options).recordCounts())
  }

  /// A document of so many records, whatever size that comes to.
  package init(options: Options, counts: RecordCounts) throws(SyntheticBackupError) {
    self.options = options
    let allocation = try DefectAllocation(of: options.defects, counts: counts)
    self.allocation = allocation
    population = Population(seed: options.seed, counts: counts, allocation: allocation)
  }

  /// Writes the document to `sink`, and hands each planted defect to `ledger` in document order.
  public func write(
    to sink: inout some ByteSink, ledger: (LedgerEntry) throws(ByteStreamError) -> Void = { _ throws(ByteStreamError) in }
  ) throws(ByteStreamError) -> Summary {
    var document = DocumentWriter(population: population, layout: options.layout)
    var defects = 0
    document.begin()
    for member in options.collectionOrder == .sorted ? RootMember.sorted : RootMember.sorted.reversed() {
      let schedule = DefectSchedule(member, slots: population.slots, allocation: allocation)
      try document.write(member, schedule: schedule, to: &sink) { entry throws(ByteStreamError) in
        defects += 1
        try ledger(entry)
      }
    }
    try document.finish(to: &sink)
    return Summary(bytes: document.byteCount, records: population.counts, defects: defects)
  }
}
