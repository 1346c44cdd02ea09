import ByteStreams

/// The number of defects of each variant in a document.
struct DefectAllocation: Sendable {
  /// The number of defects of each variant, in their order.
  private(set) var tallies: [Int]
  let variants: [DefectVariant]

  static let none = DefectAllocation(variants: [], tallies: [])

  init(variants: [DefectVariant], tallies: [Int]) {
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

  private mutating func deal(
    _ asked: Int, of kind: DefectKind, room: inout [DefectVariant.Site: Int]
  ) throws(CofferError) {
    guard asked >= 0 else { throw .negativeDefects(kind) }
    guard asked > 0 else { return }
    let fitting = variants.indices.filter { variants[$0].kind == kind }
    var rest = asked
    while rest > 0 {
      let open = fitting.filter { room[variants[$0].site, default: 0] > 0 }
      if open.isEmpty { throw .tooManyDefects(kind, asked: asked, possible: asked - rest) }
      // Deals several turns together while every variant gets some, then one each.
      let share = max(1, rest / open.count)
      for index in open where rest > 0 {
        let dealt = min(share, rest, room[variants[index].site, default: 0])
        tallies[index] += dealt
        room[variants[index].site, default: 0] -= dealt
        rest -= dealt
      }
    }
  }
}
