import Foundation
import TestSupport

/// Many trials of many scenarios: their results, and the counts.
struct Campaign: Sendable {
  private(set) var byFault = OutcomeTable()
  private(set) var byScenario = OutcomeTable()
  /// Descriptions of the trials that went wrong.
  private(set) var complaints: [String] = []
  /// The number of trials for each leftover that the next run didn't remove.
  private(set) var leftovers: [String: Int] = [:]

  /// The number of trials (default: by the depth of the tests).
  static var trialCount: Int {
    environment("COFFER_FAULT_TRIALS").flatMap { Int($0) } ?? TestDepth.count(everyday: 30, deep: 600)
  }

  /// The seed that selects among all possible trials.
  static var seed: UInt64 { environment("COFFER_FAULT_SEED").flatMap { UInt64($0) } ?? 1 }

  private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// Runs the trials, two at a time.
  ///
  /// - Parameter count: the number of trials of all scenarios together.
  init(_ scenarios: [Scenario], count: Int, seed: UInt64) async throws {
    var trials: [(Baseline, Fault)] = []
    for (index, scenario) in scenarios.enumerated() {
      let baseline = try await Baseline(of: scenario)
      let share = (index + 1) * count / scenarios.count - index * count / scenarios.count
      let plan = TrialPlan(
        count: share, failpoints: baseline.failpoints, callCounts: baseline.callCounts, microseconds: baseline.microseconds,
        seed: seed &+ UInt64(index))
      trials += plan.faults.map { (baseline, $0) }
    }
    var next = trials.makeIterator()
    try await withThrowingTaskGroup(of: Trial.self) { group in
      for _ in 0..<2 {
        if let (baseline, fault) = next.next() { group.addTask { try await Trial(fault, against: baseline) } }
      }
      while let trial = try await group.next() {
        add(trial)
        if let (baseline, fault) = next.next() { group.addTask { try await Trial(fault, against: baseline) } }
      }
    }
  }

  private mutating func add(_ trial: Trial) {
    let hasComplaints = !trial.complaints.isEmpty
    for (keyPath, row) in [(\Self.byFault, trial.row), (\Self.byScenario, trial.scenario.name)] {
      self[keyPath: keyPath].add(
        row: row, outcome: trial.outcome, wasReached: trial.wasReached, hasComplaints: hasComplaints)
    }
    if hasComplaints { complaints.append(trial.description) }
    for name in trial.leftovers { leftovers[name, default: 0] += 1 }
  }

  /// Both tables.
  var text: String {
    """
    \(byScenario.text(title: "scenario"))

    \(byFault.text(title: "fault"))

    Left by a run and not removed by the next: \(leftovers.isEmpty ? "none" : "")
    \(leftovers.sorted { $0.key < $1.key }.map { "\($0.key), after \($0.value) trials" }.joined(separator: "\n"))
    """
  }
}
