import JSONEvents
import Rules

/// How many backups the format's own app keeps: an entry of the descriptor's `retention`.
///
///     "retention": [
///       {"of": "iCloud backups", "keeps": "newest", "count": 5, "days": 30, "by": "creation of the file"},
///       {"of": "safety backups", "keeps": "newest", "count": 3}
///     ]
///
/// Both limits together: what is kept is among the `count` newest and at most `days` old.
public struct BackupRetention: Sendable, Hashable {
  /// Which of its backups are meant; `nil`: all.
  public let of: String?
  /// How many are kept; `nil`: any number.
  public let count: Int?
  /// How old they may be; `nil`: of any age.
  public let days: Int?
  /// What date their age is counted from, in words.
  public let by: String?

  /// In words: `the 5 newest, and none older than 30 days`.
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
  static func list(_ value: JSONValue.Located) throws(RuleCompileError) -> [BackupRetention] {
    guard let items = value.array else { return [try BackupRetention(value, at: "/backup/retention")] }
    var list: [BackupRetention] = []
    for (index, item) in items.enumerated() { list.append(try BackupRetention(item, at: "/backup/retention/\(index)")) }
    return list
  }

  private init(_ value: JSONValue.Located, at pointer: String) throws(RuleCompileError) {
    func limit(_ name: String) throws(RuleCompileError) -> Int? {
      guard let limit = value[name] else { return nil }
      if let number = limit.number.flatMap({ Int($0) }), number > 0 { return number }
      throw RuleCompileError("expected a whole number that is more than 0", at: "\(pointer)/\(name)", limit.position)
    }
    count = try limit("count")
    days = try limit("days")
    of = value["of"]?.string
    by = value["by"]?.string
    let hasLimit = count != nil || days != nil
    guard value["keeps"]?.string == (hasLimit ? "newest" : "all") else {
      throw RuleCompileError(
        "retention keeps \"all\", or the \"newest\" with a count, days or both", at: pointer, value.position)
    }
  }
}
