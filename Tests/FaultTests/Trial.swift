import Foundation
import SystemPackage
import TestSupport

/// One run with one fault in a fresh folder and the run after it, with their outcome.
struct Trial: Sendable {
  let scenario: Scenario
  let fault: Fault
  let run: FaultedRun
  let outcome: Judgement.Outcome
  let complaints: [String]
  /// What the first run left and the next one did not remove, with `#` for each number.
  let leftovers: Set<String>

  init(_ fault: Fault, against baseline: Baseline) async throws {
    scenario = baseline.scenario
    self.fault = fault
    let folder = try TemporaryFolder()
    let place = try scenario.copyTemplate(into: folder)
    run = try await FaultedRun(scenario.executable, scenario.arguments, in: place, fault: fault)
    let first = Judgement(of: run, fault: fault, left: try Snapshot(of: place), against: baseline)
    let nextRun = try await FaultedRun(scenario.executable, scenario.arguments, in: place)
    let last = try Snapshot(of: place)
    let next = Judgement(ofNext: nextRun, behind: first.outcome, left: last, against: baseline)
    outcome = first.outcome
    complaints = first.complaints + next.complaints
    let unfinished = FolderWalk.unfinished(in: URL(filePath: place.string))
    leftovers = Set((unfinished + last.strays).map { $0.replacing(/[0-9]+/, with: "#") })
  }

  /// True if the fault happened: a failpoint or a call may not be reached.
  var wasReached: Bool {
    switch fault {
    case .none: false
    case .call, .creation: run.fired != nil
    case .moment: run.ending == .signaled(9)
    case .failpoint(let name, _, let count): run.failpoints.count { $0 == name } >= count
    }
  }

  var row: String { fault.row(fired: run.fired?.kind) }

  /// The trial, with the command line that repeats it in a copy of the template.
  var description: String {
    let variables = fault.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return """
      \(scenario.name), \(fault)\(run.fired.map { ", \($0.kind) of \($0.path)" } ?? ""): \(run.ending), \(outcome)
        LD_PRELOAD=\(FaultedRun.library) FAULT_FOLDER=$PWD \(variables) coffer \(scenario.arguments.joined(separator: " "))
        said: \(run.errors)
        \(complaints.joined(separator: "\n  "))
      """
  }
}
