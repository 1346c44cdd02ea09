public import Rules

/// Which backups stay and which go, each with its reasons: a pure function of what is there, the policy and the present.
///
/// The backups of each format are judged for themselves, from the newest on. One stays if *both* hold, as far as the policy has limits:
///
/// - fewer than `keepLast` valid backups of its format are newer than it. Those that are not valid take none of the places: they stay as long as a valid one
///   in their place would;
/// - it is not older than `keepWithin`. One that is exactly as old stays.
///
/// Beyond that there stay, whatever the policy says:
///
/// - the newest valid backup of each format;
/// - all of a format that has no valid one, for damaged ones may be all there is;
/// - what could not be read, and what is of a newer version than is known here: nobody knows what would be lost;
/// - what says it was made more than a day from now: its age can't be told. It takes none of the places.
///
/// At equal times the one with the longer name counts as the newer (`….json` with `-2` before the dot was made after the one without), then the one that
/// comes later in the order of bytes.
///
/// For example:
///
///     let plan = RetentionPlan(for: listing.backups, by: RetentionPolicy(keepLast: 5, keepWithin: BackupAge("30d"))!, at: now)
///     for removed in plan.remove { print(removed.backup.name, removed.reasons) }
public struct RetentionPlan: Sendable {
  /// Why a backup stays.
  public enum KeepReason: Sendable, Hashable {
    /// It is the so-manieth newest valid one, from 1, of those that are kept.
    case newest(rank: Int, of: Int)
    /// Fewer valid ones than are kept are newer than it, which isn't valid itself.
    case amongNewest(valid: Int)
    case within(BackupAge)
    case lastValid
    case noneValid
    case unreadable
    case newerVersion(Int)
    case inFuture
  }

  /// Why a backup goes.
  public enum RemovalReason: Sendable, Hashable {
    /// So many valid ones are kept, and as many are newer.
    case tooMany(kept: Int)
    case tooOld(BackupAge)
  }

  public struct Kept: Sendable {
    public let backup: CatalogedBackup
    /// At least one.
    public let reasons: [KeepReason]
  }

  public struct Removed: Sendable {
    public let backup: CatalogedBackup
    /// At least one.
    public let reasons: [RemovalReason]
  }

  /// By format, and the newest first.
  public private(set) var keep: [Kept] = []
  public private(set) var remove: [Removed] = []

  /// - Parameters:
  ///   - backups: in any order.
  ///   - policy: what is to be kept.
  ///   - now: the present.
  public init(for backups: [CatalogedBackup], by policy: RetentionPolicy, at now: Instant) {
    for (_, backups) in Dictionary(grouping: backups, by: \.format).sorted(by: { $0.key < $1.key }) {
      judge(backups.sorted { $0.isNewer(than: $1) }, policy, now)
    }
  }

  /// - Parameter backups: of one format, the newest first.
  private mutating func judge(_ backups: [CatalogedBackup], _ policy: RetentionPolicy, _ now: Instant) {
    let lastValid = backups.first { $0.isValid && !$0.created.instant.isAhead(of: now) }
    let limit = policy.keepWithin?.before(now)
    var validCount = 0
    for backup in backups {
      if let reason = Self.unconditional(backup, now) {
        keep.append(Kept(backup: backup, reasons: [reason]))
        continue
      }
      var reasons: [KeepReason] = []
      var removal: [RemovalReason] = []
      if let kept = policy.keepLast {
        if validCount >= kept {
          removal.append(.tooMany(kept: kept))
        } else {
          reasons.append(backup.isValid ? .newest(rank: validCount + 1, of: kept) : .amongNewest(valid: kept))
        }
      }
      if let age = policy.keepWithin, let limit {
        if backup.created.instant < limit { removal.append(.tooOld(age)) } else { reasons.append(.within(age)) }
      }
      if backup.isValid { validCount += 1 }
      if removal.isEmpty {
        keep.append(Kept(backup: backup, reasons: reasons))
      } else if lastValid == nil {
        keep.append(Kept(backup: backup, reasons: [.noneValid]))
      } else if backup.isValid, validCount == 1 {
        keep.append(Kept(backup: backup, reasons: [.lastValid]))
      } else {
        remove.append(Removed(backup: backup, reasons: removal))
      }
    }
  }

  /// Why it stays whatever the policy says.
  private static func unconditional(_ backup: CatalogedBackup, _ now: Instant) -> KeepReason? {
    switch backup.soundness {
    case .unreadable: return .unreadable
    case .newer(let version): return .newerVersion(version)
    case .valid, .invalid, .damaged: return backup.created.instant.isAhead(of: now) ? .inFuture : nil
    }
  }
}
