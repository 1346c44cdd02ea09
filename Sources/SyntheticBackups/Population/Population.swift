/// Who stands in a backup and refers to whom: computed from the seed and an index, never stored.
///
/// So a record can refer to one that is written later, and a gigabyte takes no more memory than a kilobyte.
struct Population: Sendable {
  let seed: UInt64
  let counts: RecordCounts
  /// Which records carry a defect.
  let slots: DefectSlots

  init(seed: UInt64, counts: RecordCounts, allocation: DefectAllocation) {
    self.seed = seed
    self.counts = counts
    slots = DefectSlots(counts: counts, defects: allocation.defects)
  }

  /// What a random source is for. Each purpose has its own draws, so that one can be computed without the others.
  enum Purpose: UInt64 {
    case record, id, profile, defect
  }

  func random(_ member: RootMember, at index: Int, for purpose: Purpose = .record) -> RandomSource {
    RandomSource(seed: seed, stream: member.stream << 8 | purpose.rawValue, index: index)
  }

  // MARK: Ids

  private static let idStride = 3

  /// Ascending with gaps, as a database leaves them behind after deletions.
  func id(_ member: RootMember, at index: Int) -> Int {
    var gaps = random(member, at: index, for: .id)
    return 1 + index * Self.idStride + gaps.below(Self.idStride)
  }

  /// An id that no record of the collection has.
  func missingID(_ member: RootMember, from random: inout RandomSource) -> Int {
    1 + counts[member] * Self.idStride + random.within(1...1_000_000)
  }

  func notificationIdentifier(at index: Int) -> NotificationIdentifier {
    NotificationIdentifier(seed: seed, index: index)
  }

  /// The record whose identifier is repeated by the record at `index`: halfway from the start, so far away where there is much.
  func original(_ member: RootMember, ofDuplicateAt index: Int) -> Int {
    soundIndex(member, near: index / 2)
  }

  /// `index`, or the one before it if that carries a defect: two neighbours never do, and the first record never does.
  private func soundIndex(_ member: RootMember, near index: Int) -> Int {
    slots[member].contains(index) ? index - 1 : index
  }

  // MARK: Cars

  func car(at index: Int) -> CarProfile { CarProfile(at: index, of: self) }

  /// One car in four. A car with a defect is electric, so that a broken `carType` leaves no fuel expense without its hybrid.
  func isHybrid(carAt index: Int) -> Bool {
    index % 4 == 0 && !slots[.cars].contains(index)
  }

  func hybridCar(from random: inout RandomSource) -> Int {
    var index = random.below(counts.cars) / 4 * 4
    while !isHybrid(carAt: index) { index -= 4 }
    return index
  }

  /// An electric car without a defect.
  func soundElectricCar(from random: inout RandomSource) -> Int {
    var index = random.below(counts.cars)
    while index > 0 {
      if !isHybrid(carAt: index), !slots[.cars].contains(index) { return index }
      index -= 1
    }
    // Cars 1 and 2 are electric, and of two neighbours one at most carries a defect.
    return slots[.cars].contains(1) ? 2 : 1
  }

  func otherCar(than index: Int, from random: inout RandomSource) -> Int {
    (index + 1 + random.below(counts.cars - 1)) % counts.cars
  }

  // MARK: Maintenance

  /// The maintenance that a notification reminds of: one without a defect, for a defect may take its id or its car away.
  func maintenance(ofNotification index: Int) -> Int {
    soundIndex(.plannedMaintenance, near: index * counts.plannedMaintenance / counts.delayedNotifications)
  }

  func car(ofMaintenance index: Int) -> Int {
    var random = random(.plannedMaintenance, at: index, for: .profile)
    return random.below(counts.cars)
  }
}
