import ByteStreams
import Findings
public import Reports
public import Rules

extension TextReport {
  /// Returns a table of the backups to keep and to remove, with the reasons.
  ///
  /// - Parameters:
  ///   - plan: the plan for the backups of a folder.
  ///   - now: the current time, for the backups' age.
  public func text(of plan: RetentionPlan, now: Instant) -> String {
    var rows = [["plan", "name", "format", "created", "age", "size", "why"]]
    let formats = Set((plan.keep.map(\.backup) + plan.remove.map(\.backup)).map(\.format))
    func add(_ verb: String, _ backup: ListedBackup, _ reasons: [String]) {
      rows.append([
        // A format that all backups share isn't repeated.
        verb, backup.name.printable, formats.count > 1 ? backup.format.printable : "", Self.words(backup.created),
        Self.age(of: backup.created.instant, at: now),
        Self.shortSize(backup.size), reasons.joined(separator: "; "),
      ])
    }
    for kept in plan.keep { add("keep", kept.backup, kept.reasons.map(\.words)) }
    for removed in plan.remove { add("remove", removed.backup, removed.reasons.map(\.words)) }
    return rows.count > 1 ? TextTable(rows, rightAligned: [5]).text : ""
  }

  /// Returns a summary of a plan's outcome, in a line.
  ///
  /// - Parameters:
  ///   - plan: the backups to keep and to remove.
  ///   - outcome: the outcome, or `nil` for a dry run.
  public func summary(of plan: RetentionPlan, _ outcome: PruneOutcome?) -> String {
    let kept = plan.keep.count
    guard let outcome else {
      let bytes = plan.remove.reduce(0) { $0 + $1.backup.size }
      return plan.remove.isEmpty
        ? "nothing would be removed, \(kept) kept\n"
        : "\(plan.remove.count) would be removed (\(Self.shortSize(bytes))), \(kept) kept\n"
    }
    if plan.remove.isEmpty { return "nothing to remove, \(kept) kept\n" }
    let left = plan.remove.count - outcome.removed.count
    return "\(outcome.removed.count) removed (\(Self.shortSize(outcome.bytes))), \(kept) kept"
      + (left > 0 ? ", \(left) not removed\n" : "\n")
  }
}
