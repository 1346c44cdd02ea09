import Foundation
import SystemPackage
import TestSupport

/// The result of a scenario without faults, which every trial is compared with.
struct Baseline: Sendable {
  let scenario: Scenario
  let before: Snapshot
  let after: Snapshot
  /// The folder after a second run.
  let again: Snapshot
  /// The number of calls that change the folder, by kind.
  let callCounts: [String: Int]
  let microseconds: Int
  /// The failpoints that are reached, and how often.
  let failpoints: [String: Int]

  /// Runs the scenario twice.
  ///
  /// - Throws: ``Failure`` if a run fails.
  init(of scenario: Scenario) async throws {
    self.scenario = scenario
    let folder = try TemporaryFolder()
    let place = try scenario.copyTemplate(into: folder)
    before = try Snapshot(of: place)
    let run = try await FaultedRun(scenario.executable, scenario.arguments, in: place)
    after = try Snapshot(of: place)
    let second = try await FaultedRun(scenario.executable, scenario.arguments, in: place)
    again = try Snapshot(of: place)
    for run in [run, second] where run.ending != .exited(0) {
      throw Failure(description: "\(scenario.name) fails without any fault: \(run.ending) \(run.errors)")
    }
    guard !run.callCounts.isEmpty, let microseconds = run.microseconds else {
      throw Failure(description: "\(scenario.name): \(FaultedRun.library) was not loaded")
    }
    callCounts = run.callCounts
    // The shorter time, because other processes may delay a run.
    self.microseconds = min(microseconds, second.microseconds ?? microseconds)
    failpoints = run.failpoints.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}

extension Scenario {
  /// Makes a fresh copy of the template in an empty folder.
  func copyTemplate(into folder: TemporaryFolder) throws -> FilePath {
    // Without symbolic links, because calls are matched by the paths of files.
    let real = URL(filePath: folder.path.string).resolvingSymlinksInPath().path(percentEncoded: false)
    let place = FilePath(real).appending("place")
    try FileManager.default.copyItem(atPath: template.string, toPath: place.string)
    return place
  }
}
