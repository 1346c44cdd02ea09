import BackupFormats
import Rules

/// The days, weeks, months and years of which a backup has been kept, from the newest backup on.
struct RetentionCalendar {
  private struct Counter {
    let period: RetentionPeriod
    /// The number of periods of which one is kept.
    let limit: Int
    /// The number of periods that have a valid backup so far, and the last of them.
    var count = 0
    var last: Int?
    /// The time of the newest valid backup of that period.
    var newest: Instant?
  }

  private var counters: [Counter]
  private let clock: WallClock
  /// The name of the oldest valid backup.
  private let oldest: String?

  init(_ limits: [RetentionPeriod: Int], _ clock: WallClock, oldest: String?) {
    counters = RetentionPeriod.allCases.compactMap { period in limits[period].map { Counter(period: period, limit: $0) } }
    self.clock = clock
    self.oldest = oldest
  }

  /// Returns the reasons of all periods to keep or remove the next older backup.
  mutating func judge(_ backup: ListedBackup) -> (keep: [RetentionPlan.KeepReason], remove: [RetentionPlan.RemovalReason]) {
    var keep: [RetentionPlan.KeepReason] = []
    var remove: [RetentionPlan.RemovalReason] = []
    let time = clock.time(at: backup.created.instant) ?? WallClock.utc.time(at: backup.created.instant)
    for index in counters.indices {
      let counter = counters[index]
      // The calendar has only years of four digits: all times beyond them are one period.
      let number = time.map(counter.period.number) ?? -1
      if counter.count >= counter.limit, counter.last != number {
        remove.append(.tooManyOf(counter.period, kept: counter.limit))
      } else if counter.last != number {
        guard backup.isValid else {
          keep.append(.amongNewestOf(counter.period))
          continue
        }
        counters[index].count += 1
        counters[index].last = number
        counters[index].newest = backup.created.instant
        keep.append(.newestOf(counter.period, rank: counter.count + 1, of: counter.limit))
      } else if counter.newest == backup.created.instant {
        keep.append(.newestOf(counter.period, rank: counter.count, of: counter.limit))
      } else if counter.count < counter.limit, backup.name == oldest {
        keep.append(.oldest(counter.period, periods: counter.count, of: counter.limit))
      } else {
        remove.append(.newerOf(counter.period))
      }
    }
    return (keep, keep.isEmpty ? remove : [])
  }
}
