import Findings

extension RetentionPlan.KeepReason {
  /// Stable for programs.
  public var code: String {
    switch self {
    case .newest: "newest"
    case .amongNewest: "among-newest"
    case .within: "within"
    case .lastValid: "last-valid"
    case .noneValid: "none-valid"
    case .unreadable: "unreadable"
    case .newerVersion: "newer-version"
    case .inFuture: "in-future"
    }
  }

  /// For people, to stand behind a backup's name.
  public var words: String {
    switch self {
    case .newest(_, 1): "the newest"
    case .newest(let rank, let count): "\(rank) of the \(count) newest"
    case .amongNewest(1): "no valid one is newer"
    case .amongNewest(let count): "fewer than \(count) valid ones are newer"
    case .within(let age): "within \(age)"
    case .lastValid: "the last valid one"
    case .noneValid: "none of its format is valid"
    case .unreadable: "can't be read, so what it holds is not known"
    case .newerVersion(let version): "of version \(version), which is newer than what is known here"
    case .inFuture: "its date is in the future, so its age is not known"
    }
  }
}

extension RetentionPlan.RemovalReason {
  /// Stable for programs.
  public var code: String {
    switch self {
    case .tooMany: "too-many"
    case .tooOld: "too-old"
    }
  }

  /// For people, to stand behind a backup's name.
  public var words: String {
    switch self {
    case .tooMany(let count): "\(count.counted("newer one is", "newer ones are")) valid"
    case .tooOld(let age): "older than \(age)"
    }
  }
}
