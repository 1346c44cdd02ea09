/// Decides whether a run may have left and reported what it did.
struct Judgement: Sendable {
  enum Outcome: String, Sendable, CaseIterable { case before, between, after, neither }

  private(set) var outcome = Outcome.neither
  /// What is wrong; empty if the trial went well.
  private(set) var complaints: [String] = []

  /// Judges a run with a fault.
  init(of run: FaultedRun, fault: Fault, left snapshot: Snapshot, against baseline: Baseline) {
    complaints += snapshot.damage
    let (before, after) = (baseline.before, baseline.after)
    if snapshot.isSame(as: after) {
      outcome = .after
    } else if snapshot.isSame(as: before) {
      outcome = .before
    } else if baseline.scenario.mayStopBetween, snapshot.isBetween(before, after, inOrder: fault.killsProcess) {
      outcome = .between
    } else {
      complaints.append(
        """
        neither before nor after: differs from before in \(snapshot.differences(from: before)), \
        from after in \(snapshot.differences(from: after))
        """)
    }
    judgeSafetyCopies(snapshot, before: before, after: after)
    switch run.ending {
    case .signaled(let signal):
      if signal != 9 || !fault.killsProcess { complaints.append("ended by signal \(signal): \(run.errors)") }
    case .exited(0):
      if outcome != .after { complaints.append("says that it succeeded: \(run.errors)") }
    case .exited(let status): judgeFailure(status, run, fault, mayStopBetween: baseline.scenario.mayStopBetween)
    }
  }

  /// Judges the next run in the same folder, without a fault.
  init(ofNext run: FaultedRun, behind first: Outcome, left snapshot: Snapshot, against baseline: Baseline) {
    outcome = first
    if run.ending != .exited(0) { complaints.append("the next run fails: \(run.ending) \(run.errors)") }
    complaints += snapshot.damage.map { "after the next run: \($0)" }
    let expected = first == .after ? [baseline.again] : [baseline.after]
    if !expected.contains(where: snapshot.isSame) {
      complaints.append("the next run leaves something else: \(expected.map { snapshot.differences(from: $0) })")
    }
    if snapshot.safetyCopies.count > max(baseline.before.safetyCopies.count, Self.safetyCopiesKept) {
      complaints.append("the next run leaves more safety copies: \(snapshot.safetyCopies.keys.sorted())")
    }
  }

  /// The number of safety copies that are kept.
  private static let safetyCopiesKept = 3

  /// Each copy existed before or is a copy of the state before; none that must be kept is missing; and a changed database has a
  /// copy of its state before.
  private mutating func judgeSafetyCopies(_ snapshot: Snapshot, before: Snapshot, after: Snapshot) {
    let copies = snapshot.safetyCopies
    let known = Set(before.safetyCopies.values).union(before.stores.values)
    for (name, copy) in copies.sorted(by: { $0.key < $1.key }) where !known.contains(copy) {
      complaints.append("\(name) is a copy of nothing that was there")
    }
    if copies.count < min(before.safetyCopies.count, Self.safetyCopiesKept) {
      complaints.append("safety copies are missing: \(copies.keys.sorted()) of \(before.safetyCopies.keys.sorted())")
    }
    if outcome == .after, !Set(after.safetyCopies.values).isSubset(of: copies.values) {
      complaints.append("no safety copy of what was there: \(copies.keys.sorted())")
    }
  }

  /// A failed run has changed nothing, or says that its output is or may be in place; and it says why it failed.
  private mutating func judgeFailure(_ status: Int32, _ run: FaultedRun, _ fault: Fault, mayStopBetween: Bool) {
    let text = run.errors.lowercased()
    // Whether a commit whose sync failed will last isn't known.
    let admissions = ["in place", "committed", "during the commit: the database has all changes or none"]
    if outcome == .after, !mayStopBetween, !admissions.contains(where: text.contains) {
      complaints.append("fails with status \(status), without saying that all is in place: \(run.errors)")
    }
    switch fault.action {
    case .inputOutput:
      if status != 3 { complaints.append("ends with status \(status) for an input/output error: \(run.errors)") }
      if !text.contains("error") { complaints.append("doesn't say that there was an input/output error: \(run.errors)") }
    case .noSpace, .short:
      // Syncing and removing need no space, so such a failure may be reported like any other error.
      let needsSpace = !mayStopBetween && !["sync", "remove"].contains(run.fired?.kind)
      if status != 4, needsSpace || status != 3 { complaints.append("ends with status \(status) on a full disk: \(run.errors)") }
      if !text.contains("space"), !text.contains("full") { complaints.append("doesn't say that the disk is full: \(run.errors)") }
    case .kill, .cut, nil:
      complaints.append("fails with status \(status): \(run.errors)")
    }
  }
}
