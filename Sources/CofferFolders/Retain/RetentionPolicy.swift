/// Limits for the backups that a folder keeps: their number, their age, or both.
///
/// A backup must satisfy both limits, as in the apps: `keepLast: 5` and `keepWithin: 30d` keep *the 5 newest, except those older
/// than 30 days*. (restic's `forget` keeps a snapshot that any of its rules keeps.) ``RetentionPlan`` lists further backups that
/// are kept.
public struct RetentionPolicy: Sendable, Hashable {
  /// The number of newest valid backups to keep of each format, at least 1, or `nil` if unlimited.
  public let keepLast: Int?
  /// The maximum age of a backup, or `nil` if unlimited.
  public let keepWithin: BackupAge?

  /// Creates a policy. Returns `nil` without any limit, or if `keepLast` is below 1, which would keep nothing.
  public init?(keepLast: Int? = nil, keepWithin: BackupAge? = nil) {
    if keepLast == nil, keepWithin == nil { return nil }
    if let keepLast, keepLast < 1 { return nil }
    self.keepLast = keepLast
    self.keepWithin = keepWithin
  }
}
