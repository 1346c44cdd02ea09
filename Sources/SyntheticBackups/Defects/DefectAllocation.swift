/// How many defects of each variant a document carries.
struct DefectAllocation: Sendable {
  /// As many as there are variants in ``DefectVariant/all``, in that order.
  private(set) var tallies: [Int]

  static let none = DefectAllocation()

  private init() { tallies = Array(repeating: 0, count: DefectVariant.all.count) }

  /// Deals the defects asked for of each kind to its variants in turn, passing over collections that can carry no more.
  ///
  /// - Throws: `tooManyDefects`, `negativeDefects`.
  init(of asked: [DefectKind: Int], counts: RecordCounts) throws(SyntheticBackupError) {
    self.init()
    var room = Dictionary(
      uniqueKeysWithValues: RootMember.allCases.map { member in
        (member, member.isCollection ? SlotSpacing.capacity(records: counts[member]) : 1)
      })
    for kind in Self.scarcestFirst(room: room) {
      try deal(asked[kind, default: 0], of: kind, room: &room)
    }
  }

  func defects(in member: RootMember) -> Int {
    zip(DefectVariant.all, tallies).reduce(0) { $1.0.member == member ? $0 + $1.1 : $0 }
  }

  /// Kinds that only small collections can carry come before those that find room everywhere.
  private static func scarcestFirst(room: [RootMember: Int]) -> [DefectKind] {
    let kinds = DefectKind.allCases.enumerated().map { order, kind in
      let members = RootMember.allCases.filter { member in
        DefectVariant.all.contains { $0.kind == kind && $0.member == member }
      }
      return (room: members.reduce(0) { $0 + room[$1, default: 0] }, order: order, kind: kind)
    }
    return kinds.sorted { ($0.room, $0.order) < ($1.room, $1.order) }.map(\.kind)
  }

  private mutating func deal(_ asked: Int, of kind: DefectKind, room: inout [RootMember: Int]) throws(SyntheticBackupError) {
    guard asked >= 0 else { throw .negativeDefects(kind) }
    let variants = DefectVariant.all.indices.filter { DefectVariant.all[$0].kind == kind }
    var rest = asked
    while rest > 0 {
      let open = variants.filter { room[DefectVariant.all[$0].member, default: 0] > 0 }
      if open.isEmpty { throw .tooManyDefects(kind, asked: asked, possible: asked - rest) }
      // A whole turn at once where every variant gets some, then one each.
      let share = max(1, rest / open.count)
      for index in open where rest > 0 {
        let member = DefectVariant.all[index].member
        let dealt = min(share, rest, room[member, default: 0])
        tallies[index] += dealt
        room[member, default: 0] -= dealt
        rest -= dealt
      }
    }
  }
}
