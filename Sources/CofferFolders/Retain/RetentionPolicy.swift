/// Which backups of a folder are kept: by their number, by their age, or by both together.
///
/// Where both limits are given, both hold, as the apps have it: `keepLast: 5` and `keepWithin: 30d` is *the 5 newest, and of these none older than 30 days*.
/// (restic's `forget` keeps what any of its rules keeps.) ``RetentionPlan`` says what is kept beyond that.
public struct RetentionPolicy: Sendable, Hashable {
  /// How many valid backups of each format are kept, the newest; at least 1. `nil`: any number.
  public let keepLast: Int?
  /// How old a backup may be; `nil`: of any age.
  public let keepWithin: BackupAge?

  /// - Returns: `nil` without any limit, and for a number below 1: a policy that keeps nothing is no policy.
  public init?(keepLast: Int? = nil, keepWithin: BackupAge? = nil) {
    if keepLast == nil, keepWithin == nil { return nil }
    if let keepLast, keepLast < 1 { return nil }
    self.keepLast = keepLast
    self.keepWithin = keepWithin
  }
}
