public import BackupFormats
import Findings
public import Rules

/// The backups to keep and to remove, each with its reasons: a pure function of the backups, the policy and the current time.
///
/// Each format is planned separately, from its newest backup on, and so are backups that the app names otherwise than the usual ones:
/// exports and safety copies use up none of those. A backup is kept if it satisfies *all* limits of the policy, if
/// there are any:
///
/// - Fewer than `keepLast` valid backups of its format are newer. Invalid backups don't count towards the limit; they are kept as
///   long as a valid one in their place would be.
/// - It isn't older than `keepWithin`. A backup of exactly this age is kept.
///
/// It is also kept if it is the newest valid one of its day, week, month or year (`keepEach`), and fewer than the given number of
/// later days, weeks, months or years have a valid one. Periods without a valid backup don't count. While fewer periods have one,
/// the oldest valid backup is kept, too. A backup that isn't valid is kept as long as a valid one in its place would be.
///
/// Regardless of the policy, these are kept:
///
/// - the newest valid backup of each format;
/// - all backups of a format without a valid one, because damaged ones may be all there is;
/// - unreadable backups, and those of an unknown newer version, because their contents are unknown;
/// - backups dated more than a day in the future, because their age is unknown. They don't count towards `keepLast`.
///
/// Backups with the same time count once, and none of them is removed in favour of another.
///
/// For example:
///
///     let plan = RetentionPlan(for: listing.backups, by: RetentionPolicy(keepLast: 5, keepWithin: BackupAge("30d"))!, at: now)
///     for removed in plan.remove { print(removed.backup.name, removed.reasons) }
public struct RetentionPlan: Sendable {
  /// A reason to keep or to remove a backup.
  public struct Reason: Sendable, Hashable, Encodable {
    /// The reason's code, stable for programs.
    public let code: String
    /// A phrase for users that follows the backup's name.
    public let words: String
  }

  /// A backup to keep or to remove.
  public struct Decision: Sendable {
    public let backup: ListedBackup
    /// The reasons, at least one.
    public let reasons: [Reason]
  }

  /// The backups to keep, sorted by format, newest first; `remove` has the same order.
  public private(set) var keep: [Decision] = []
  public private(set) var remove: [Decision] = []

  /// - Parameters:
  ///   - backups: the backups, in any order.
  ///   - policy: the limits.
  ///   - now: the current time.
  ///   - clock: the time zone of days, weeks, months and years.
  public init(for backups: [ListedBackup], by policy: RetentionPolicy, at now: Instant, clock: WallClock = .local) {
    let series = Dictionary(grouping: backups) { [$0.format, $0.series ?? ""] }
    for (_, backups) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      plan(backups.sorted { $0.isNewer(than: $1) }, policy, now, clock)
    }
  }

  /// - Parameter backups: the backups of one series, newest first.
  private mutating func plan(_ backups: [ListedBackup], _ policy: RetentionPolicy, _ now: Instant, _ clock: WallClock) {
    let counted = backups.filter { $0.isValid && !$0.created.instant.isAhead(of: now) }
    let lastValid = counted.first
    var calendar = RetentionCalendar(policy.keepEach, clock, oldest: counted.last?.name)
    let limit = policy.keepWithin?.before(now)
    var validCount = 0
    var lastCounted: Instant?
    for backup in backups {
      if let reason = Self.unconditional(backup, now) {
        keep.append(Decision(backup: backup, reasons: [reason]))
        continue
      }
      var reasons: [Reason] = []
      var removal: [Reason] = []
      let newerCount = backup.created.instant == lastCounted ? validCount - 1 : validCount
      if let kept = policy.keepLast {
        if newerCount >= kept {
          removal.append(.tooMany(kept: kept))
        } else {
          reasons.append(backup.isValid ? .newest(rank: newerCount + 1, of: kept) : .amongNewest(valid: kept))
        }
      }
      if let age = policy.keepWithin, let limit {
        if backup.created.instant < limit { removal.append(.tooOld(age)) } else { reasons.append(.within(age)) }
      }
      let periods = calendar.reasons(for: backup)
      if backup.isValid {
        validCount = newerCount + 1
        lastCounted = backup.created.instant
      }
      if !removal.isEmpty { reasons = [] }
      reasons += periods.keep
      removal += periods.remove
      if !reasons.isEmpty {
        keep.append(Decision(backup: backup, reasons: reasons))
      } else if lastValid == nil {
        keep.append(Decision(backup: backup, reasons: [.noneValid]))
      } else if backup.isValid, validCount == 1 {
        keep.append(Decision(backup: backup, reasons: [.lastValid]))
      } else {
        remove.append(Decision(backup: backup, reasons: removal))
      }
    }
  }

  /// Returns the reason to keep a backup regardless of the policy, or `nil` if there is none.
  private static func unconditional(_ backup: ListedBackup, _ now: Instant) -> Reason? {
    switch backup.validity {
    case .unreadable: return .unreadable
    case .newer(let version): return .newerVersion(version)
    case .valid, .invalid, .damaged: return backup.created.instant.isAhead(of: now) ? .inFuture : nil
    }
  }
}

/// The days, weeks, months and years of which a backup has been kept, from the newest backup on.
private struct RetentionCalendar {
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
  mutating func reasons(for backup: ListedBackup) -> (keep: [RetentionPlan.Reason], remove: [RetentionPlan.Reason]) {
    var keep: [RetentionPlan.Reason] = []
    var remove: [RetentionPlan.Reason] = []
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

/// Reasons to keep a backup.
extension RetentionPlan.Reason {
  /// It is among the newest valid backups that are kept; `rank` counts from 1, the newest.
  static func newest(rank: Int, of count: Int) -> Self {
    Self(code: "newest", words: count == 1 ? "the newest" : "\(rank) of the \(count) newest")
  }

  /// It isn't valid, but fewer than the kept number of valid backups are newer.
  static func amongNewest(valid count: Int) -> Self {
    Self(
      code: "among-newest", words: count == 1 ? "no valid backup is newer" : "fewer than \(count) valid backups are newer")
  }

  static func within(_ age: BackupAge) -> Self { Self(code: "within", words: "within \(age)") }

  /// It is the newest valid one of its period; `rank` counts the periods with one from 1, the newest.
  static func newestOf(_ period: RetentionPeriod, rank: Int, of count: Int) -> Self {
    Self(code: "newest-of-\(period.rawValue)", words: "the newest of its \(period.rawValue) (\(rank) of \(count))")
  }

  /// It isn't valid, but no valid one of its period is newer.
  static func amongNewestOf(_ period: RetentionPeriod) -> Self {
    Self(code: "among-newest-of-\(period.rawValue)", words: "no newer valid backup of its \(period.rawValue)")
  }

  /// It is the oldest valid one, and not as many periods as requested have one.
  static func oldest(_ period: RetentionPeriod, periods: Int, of count: Int) -> Self {
    let counted = periods.counted(period.rawValue)
    return Self(
      code: "oldest", words: "the oldest: only \(counted) of \(count) \(periods == 1 ? "has" : "have") a valid backup")
  }

  static let lastValid = Self(code: "last-valid", words: "the last valid backup")
  static let noneValid = Self(code: "none-valid", words: "no backup of its format is valid")
  static let unreadable = Self(code: "unreadable", words: "unreadable, so its contents are unknown")

  static func newerVersion(_ version: Int) -> Self {
    Self(code: "newer-version", words: "version \(version) is newer than any known version")
  }

  static let inFuture = Self(code: "in-future", words: "dated in the future, so its age is unknown")
}

/// Reasons to remove a backup.
extension RetentionPlan.Reason {
  /// `count` valid backups, the maximum, are newer.
  static func tooMany(kept count: Int) -> Self { Self(code: "too-many", words: "\(count.counted("newer valid backup"))") }

  static func tooOld(_ age: BackupAge) -> Self { Self(code: "too-old", words: "older than \(age)") }

  /// A newer backup of its period is valid.
  static func newerOf(_ period: RetentionPeriod) -> Self {
    Self(code: "newer-of-\(period.rawValue)", words: "its \(period.rawValue) has a newer valid backup")
  }

  /// Valid backups of `count` later periods, the maximum, exist.
  static func tooManyOf(_ period: RetentionPeriod, kept count: Int) -> Self {
    let counted = count.counted("later \(period.rawValue) has", "later \(period.rawValue)s have")
    return Self(code: "too-many-\(period.rawValue)s", words: "\(counted) a valid backup")
  }
}

/// Limits for the backups that a folder keeps, and further backups to keep beyond them.
///
/// A backup must satisfy both limits, as in the apps: `keepLast: 5` and `keepWithin: 30d` keep *the 5 newest, except those older
/// than 30 days*. (restic's `forget` keeps a snapshot that any of its rules keeps.)
///
/// Beyond the limits, or without any, `keepEach` keeps the newest valid backup of each of the last days, weeks, months or years
/// that have one, as in restic and borg: with `[.month: 12]`, also *the last one of each of the last 12 months*.
/// ``RetentionPlan`` lists further backups that are kept.
public struct RetentionPolicy: Sendable, Hashable {
  /// The number of newest valid backups to keep of each format, at least 1, or `nil` if unlimited.
  public let keepLast: Int?
  /// The maximum age of a backup, or `nil` if unlimited.
  public let keepWithin: BackupAge?
  /// The numbers of periods of which the newest valid backup is kept, at least 1.
  public let keepEach: [RetentionPeriod: Int]

  /// Creates a policy. Returns `nil` without any limit and any period, or if a number is below 1.
  public init?(keepLast: Int? = nil, keepWithin: BackupAge? = nil, keepEach: [RetentionPeriod: Int] = [:]) {
    if keepLast == nil, keepWithin == nil, keepEach.isEmpty { return nil }
    if ([keepLast].compactMap(\.self) + keepEach.values).contains(where: { $0 < 1 }) { return nil }
    self.keepLast = keepLast
    self.keepWithin = keepWithin
    self.keepEach = keepEach
  }
}

/// A day, ISO week, month or year of the calendar, of each of which a policy can keep a backup.
public enum RetentionPeriod: String, Sendable, Hashable, CaseIterable {
  case day, week, month, year

  /// Returns a number that differs for the periods of two times, and doesn't for times of one period.
  func number(of time: CivilTime) -> Int {
    switch self {
    case .day: Self.day(of: time)
    // 1970-01-01 was a Thursday, and weeks begin on Monday.
    case .week: Int((Double(Self.day(of: time) + 3) / 7).rounded(.down))
    case .month: time.year * 12 + time.month
    case .year: time.year
    }
  }

  /// The days since 1970-01-01.
  private static func day(of time: CivilTime) -> Int {
    guard let day = CivilTime(year: time.year, month: time.month, day: time.day), let midnight = WallClock.utc.instant(of: day)
    else { return 0 }
    return Int(midnight.seconds / 86400) - (midnight.seconds < 0 ? 1 : 0)
  }
}
