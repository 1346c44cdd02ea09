import Findings

extension RetentionPlan.KeepReason {
  /// The reason's code, stable for programs.
  public var code: String {
    switch self {
    case .newest: "newest"
    case .amongNewest: "among-newest"
    case .within: "within"
    case .newestOf(let period, _, _): "newest-of-\(period.rawValue)"
    case .amongNewestOf(let period): "among-newest-of-\(period.rawValue)"
    case .oldest: "oldest"
    case .lastValid: "last-valid"
    case .noneValid: "none-valid"
    case .unreadable: "unreadable"
    case .newerVersion: "newer-version"
    case .inFuture: "in-future"
    }
  }

  /// A phrase for users that follows the backup's name.
  public var words: String {
    switch self {
    case .newest(_, 1): "the newest"
    case .newest(let rank, let count): "\(rank) of the \(count) newest"
    case .amongNewest(1): "no valid backup is newer"
    case .amongNewest(let count): "fewer than \(count) valid backups are newer"
    case .within(let age): "within \(age)"
    case .newestOf(let period, let rank, let count): "the newest of its \(period.rawValue) (\(rank) of \(count))"
    case .amongNewestOf(let period): "no newer valid backup of its \(period.rawValue)"
    case .oldest(let period, let periods, let count):
      "the oldest: only \(periods.counted(period.rawValue)) of \(count) \(periods == 1 ? "has" : "have") a valid backup"
    case .lastValid: "the last valid backup"
    case .noneValid: "no backup of its format is valid"
    case .unreadable: "unreadable, so its contents are unknown"
    case .newerVersion(let version): "version \(version) is newer than any known version"
    case .inFuture: "dated in the future, so its age is unknown"
    }
  }
}

extension RetentionPlan.RemovalReason {
  /// The reason's code, stable for programs.
  public var code: String {
    switch self {
    case .tooMany: "too-many"
    case .tooOld: "too-old"
    case .newerOf(let period): "newer-of-\(period.rawValue)"
    case .tooManyOf(let period, _): "too-many-\(period.rawValue)s"
    }
  }

  /// A phrase for users that follows the backup's name.
  public var words: String {
    switch self {
    case .tooMany(let count): "\(count.counted("newer valid backup"))"
    case .tooOld(let age): "older than \(age)"
    case .newerOf(let period): "its \(period.rawValue) has a newer valid backup"
    case .tooManyOf(let period, let count):
      "\(count.counted("later \(period.rawValue) has", "later \(period.rawValue)s have")) a valid backup"
    }
  }
}
