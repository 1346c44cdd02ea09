import ByteStreams

/// The number of defects of each variant in a document.
struct DefectAllocation: Sendable {
  /// The number of defects of each variant, in their order.
  private(set) var tallies: [Int]
  let variants: [DefectVariant]

  init(variants: [DefectVariant] = [], tallies: [Int] = []) {
    self.variants = variants
    self.tallies = tallies
  }

  /// Deals the requested defects of each kind to its variants in turn, skipping sites that are full.
  ///
  /// - Throws: `tooManyDefects`, `negativeDefects`.
  init(
    of asked: [DefectKind: Int], among variants: [DefectVariant], room: (DefectVariant.Site) -> Int
  ) throws(CofferError) {
    self.variants = variants
    tallies = Array(repeating: 0, count: variants.count)
    var rooms: [DefectVariant.Site: Int] = [:]
    for variant in variants { rooms[variant.site] = room(variant.site) }
    // Kinds that only few sites can carry come first.
    let kinds = DefectKind.allCases.enumerated().map { order, kind in
      let sites = Set(variants.lazy.filter { $0.kind == kind }.map(\.site))
      return (room: sites.reduce(0) { $0 + rooms[$1, default: 0] }, order: order, kind: kind)
    }
    for entry in kinds.sorted(by: { ($0.room, $0.order) < ($1.room, $1.order) }) {
      try deal(asked[entry.kind, default: 0], of: entry.kind, room: &rooms)
    }
  }

  func defects(at site: DefectVariant.Site) -> Int {
    zip(variants, tallies).reduce(0) { $1.0.site == site ? $0 + $1.1 : $0 }
  }

  /// Returns the number of the variant of a site's defect (from 0). Variants are mixed evenly, in steps near the golden section.
  func variant(ofSlot slot: Int, at site: DefectVariant.Site) -> Int? {
    let total = defects(at: site)
    var step = max(1, total * 618 / 1000)
    while Self.divisor(step, total) > 1 { step += 1 }
    var place = slot * step % max(1, total)
    return variants.indices.first { number in
      guard variants[number].site == site else { return false }
      place -= tallies[number]
      return place < 0
    }
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

  private mutating func deal(
    _ asked: Int, of kind: DefectKind, room: inout [DefectVariant.Site: Int]
  ) throws(CofferError) {
    guard asked >= 0 else { throw .negativeDefects(kind) }
    guard asked > 0 else { return }
    let fitting = variants.indices.filter { variants[$0].kind == kind }
    var rest = asked
    while rest > 0 {
      let open = fitting.filter { room[variants[$0].site, default: 0] > 0 }
      if open.isEmpty {
        let isInRecords = fitting.contains { if case .collection = variants[$0].site { true } else { false } }
        throw .tooManyDefects(kind, asked: asked, possible: asked - rest, isInRecords: isInRecords)
      }
      for index in open.prefix(rest) where room[variants[index].site, default: 0] > 0 {
        tallies[index] += 1
        room[variants[index].site, default: 0] -= 1
        rest -= 1
      }
    }
  }
}

/// The records of a collection that carry a defect: `count` of them, evenly spread, none of the first ones, never two neighbours.
///
/// Computed by index, so that references can avoid such records anywhere without a list of them.
struct SlotSpacing: Sendable {
  private let records: Int
  private let count: Int
  /// The number of records at the start without defects: the first one, and those that others require.
  private let start: Int

  /// Returns the maximum number of defects in a collection.
  static func capacity(records: Int, firstValid: Int) -> Int { max(0, records - max(0, firstValid - 1)) / 2 }

  init(records: Int, count: Int, firstValid: Int) {
    precondition(count <= Self.capacity(records: records, firstValid: firstValid), "more defects than the records can carry")
    start = max(0, firstValid - 1)
    self.records = records - start
    self.count = count
  }

  /// Returns the record that carries the defect `slot` (from 0): the middle of its share of the collection.
  func index(ofSlot slot: Int) -> Int? {
    slot < count ? start + (2 * slot + 1) * records / (2 * count) : nil
  }

  /// Returns the defect that a record carries (from 0), or `nil` if it carries none.
  func slot(of index: Int) -> Int? {
    guard count > 0, index > start else { return nil }
    let place = index - start
    // The first slot whose record is at or after `place`: (2 × slot + 1) × records ≥ 2 × count × place, rounded up.
    let slot = max(0, (2 * count * place - records + 2 * records - 1) / (2 * records))
    return self.index(ofSlot: slot) == index ? slot : nil
  }

  func contains(_ index: Int) -> Bool { slot(of: index) != nil }
}
