/// The number of records, or of values outside records, that each step changed.
struct MigrationTally: Sendable {
  private(set) var counts: [Count]

  struct Count: Sendable, Hashable {
    var changed = 0
    /// The number of records with a value that the step doesn't apply to, and which was left unchanged.
    var skipped = 0
    /// The number of records in which fractions of a second were cut off.
    var cut = 0
  }

  init(stepCount: Int) { counts = Array(repeating: Count(), count: stepCount) }

  mutating func reset() {
    for index in counts.indices { counts[index] = Count() }
  }

  mutating func note(_ outcome: StepOutcome, of step: Int) {
    if outcome.contains(.changed) { counts[step].changed += 1 }
    if outcome.contains(.skipped) { counts[step].skipped += 1 }
    if outcome.contains(.cut) { counts[step].cut += 1 }
  }

  static func += (tally: inout MigrationTally, other: MigrationTally) {
    for index in tally.counts.indices {
      tally.counts[index].changed += other.counts[index].changed
      tally.counts[index].skipped += other.counts[index].skipped
      tally.counts[index].cut += other.counts[index].cut
    }
  }
}

/// The outcome of a step in one record.
struct StepOutcome: OptionSet {
  let rawValue: UInt8

  static let changed = StepOutcome(rawValue: 1)
  static let skipped = StepOutcome(rawValue: 2)
  static let cut = StepOutcome(rawValue: 4)
}
