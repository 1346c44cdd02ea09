import Foundation
import SystemPackage
import TestSupport

/// What a scenario comes to when nothing goes wrong: what every trial is held against.
struct Baseline: Sendable {
  let scenario: Scenario
  let before: Snapshot
  let after: Snapshot
  /// After a second run behind the first.
  let again: Snapshot
  /// How many calls change the folder, by kind.
  let callCounts: [String: Int]
  let microseconds: Int
  /// The named places that it comes to, each with how often.
  let failpoints: [String: Int]

  /// Runs it twice.
  ///
  /// - Throws: ``Failure`` if it doesn't end well.
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
    // The less, for one of them may have had to wait for others.
    self.microseconds = min(microseconds, second.microseconds ?? microseconds)
    failpoints = run.failpoints.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}

extension Scenario {
  /// A fresh copy of what it runs in, as the only thing in a folder.
  func copyTemplate(into folder: TemporaryFolder) throws -> FilePath {
    // Without links in it, as calls on its files are told by their paths.
    let real = URL(filePath: folder.path.string).resolvingSymlinksInPath().path(percentEncoded: false)
    let place = FilePath(real).appending("place")
    try FileManager.default.copyItem(atPath: template.string, toPath: place.string)
    return place
  }
}
