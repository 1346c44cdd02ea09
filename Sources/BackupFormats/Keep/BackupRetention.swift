import ByteStreams
import Rules

/// The app's own retention of backups: an entry of the descriptor's `retention`.
///
///     "retention": [
///       {"of": "iCloud backups", "keeps": "newest", "count": 5, "days": 30, "by": "creation of the file"},
///       {"of": "safety backups", "keeps": "newest", "count": 3}
///     ]
///
/// Both limits apply: kept backups are among the `count` newest and at most `days` old.
public struct BackupRetention: Sendable, Hashable, Encodable {
  /// The kind of backups, or `nil` for all.
  public let of: String?
  /// The maximum number of backups (default: unlimited).
  public let count: Int?
  /// The maximum age in days (default: unlimited).
  public let days: Int?
  /// A description of the date from which their age is counted.
  public let by: String?

  /// A description: `the 5 newest, and none older than 30 days`.
  public var words: String {
    let kept =
      switch (count, days) {
      case (let count?, let days?): "the \(count) newest, and none older than \(days) days"
      case (let count?, nil): "the \(count) newest"
      case (nil, let days?): "none older than \(days) days"
      case (nil, nil): "all"
      }
    return (of.map { $0 + ": " } ?? "") + kept + (by.map { ", by \($0)" } ?? "")
  }

  /// Reads a descriptor's `retention`: an entry, or a list of them.
  static func list(_ value: RuleValue) throws(CofferError) -> [BackupRetention] {
    try (value.items ?? [value]).map { item throws(CofferError) in try BackupRetention(item) }
  }

  private init(_ value: RuleValue) throws(CofferError) {
    count = try value["count"]?.expectPositiveInteger()
    days = try value["days"]?.expectPositiveInteger()
    of = value["of"]?.string
    by = value["by"]?.string
    let hasLimit = count != nil || days != nil
    guard value["keeps"]?.string == (hasLimit ? "newest" : "all") else {
      throw value.error("retention must keep \"all\", or the \"newest\" with a count, days or both")
    }
  }
}
