/// Limits for the backups to keep in a folder: their number, their age, or both.
///
/// If both limits are given, a backup must meet both, as in the apps: `keepLast: 5` and `keepWithin: 30d` means *the 5 newest,
/// and of these none older than 30 days*. (restic's `forget` keeps what any of its rules keeps.) ``RetentionPlan`` lists the
/// backups that are always kept.
public struct RetentionPolicy: Sendable, Hashable {
  /// The number of newest valid backups to keep of each format, at least 1; `nil`: any number.
  public let keepLast: Int?
  /// The maximum age of a kept backup; `nil`: any age.
  public let keepWithin: BackupAge?

  /// - Returns: `nil` without any limit, or for a number below 1, which would keep nothing.
  public init?(keepLast: Int? = nil, keepWithin: BackupAge? = nil) {
    if keepLast == nil, keepWithin == nil { return nil }
    if let keepLast, keepLast < 1 { return nil }
    self.keepLast = keepLast
    self.keepWithin = keepWithin
  }
}
