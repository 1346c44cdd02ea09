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
