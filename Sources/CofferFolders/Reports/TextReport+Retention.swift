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
    if rows.count == 1 { return "" }
    let (name, format, created, age, size, why) = (1, 2, 3, 4, 5, 6)
    return text(
      of: TextTable(rows, rightAligned: [5]),
      by: [
        .leavingOut(column: age), .wrapping(column: why, to: 28), .days(columns: [created]), .leavingOut(column: size),
        .cuttingInside(column: name, to: 35), .cutting(column: format, to: 8), .wrapping(column: why, to: 20),
        .leavingOut(column: created), .cuttingInside(column: name, to: 24), .leavingOut(column: format),
        .cuttingInside(column: name, to: 12),
      ])
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
        ? "nothing would be removed, \(kept.grouped) kept\n"
        : "\(plan.remove.count.grouped) would be removed (\(Self.shortSize(bytes))), \(kept.grouped) kept\n"
    }
    if plan.remove.isEmpty { return "nothing to remove, \(kept.grouped) kept\n" }
    let left = plan.remove.count - outcome.removed.count
    return "\(outcome.removed.count.grouped) removed (\(Self.shortSize(outcome.bytes))), \(kept.grouped) kept"
      + (left > 0 ? ", \(left.grouped) not removed\n" : "\n")
  }
}
