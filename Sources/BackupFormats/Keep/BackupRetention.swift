import ByteStreams
import JSONEvents
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
  static func list(_ value: JSONValue.Located) throws(CofferError) -> [BackupRetention] {
    guard let items = value.array else { return [try BackupRetention(value, at: "/backup/retention")] }
    var list: [BackupRetention] = []
    for (index, item) in items.enumerated() { list.append(try BackupRetention(item, at: "/backup/retention/\(index)")) }
    return list
  }

  private init(_ value: JSONValue.Located, at pointer: String) throws(CofferError) {
    func limit(_ name: String) throws(CofferError) -> Int? {
      guard let limit = value[name] else { return nil }
      if let number = limit.number.flatMap({ Int($0) }), number > 0 { return number }
      throw CofferError(rules: "expected a positive integer", at: "\(pointer)/\(name)", limit.position)
    }
    count = try limit("count")
    days = try limit("days")
    of = value["of"]?.string
    by = value["by"]?.string
    let hasLimit = count != nil || days != nil
    guard value["keeps"]?.string == (hasLimit ? "newest" : "all") else {
      throw CofferError(
        rules: "retention must keep \"all\", or the \"newest\" with a count, days or both", at: pointer, value.position)
    }
  }
}
