import Foundation
import SystemPackage
import TestSupport
import Testing

#if os(Linux)
  @Suite struct FullDiskTests {
    private static let now = ["--now", "2026-07-10T12:00:00Z"]

    /// The state of the existing database: as SQLite makes it, or as an app with a write-ahead log leaves it.
    enum Journal: CaseIterable { case none, log, unfinishedLog }

    /// SQLite doesn't say why it can't create a file, so Coffer must not leave it any file to create.
    @Test(arguments: Journal.allCases, [(Fault.Action.noSpace, 4 as Int32, "full|space"), (.inputOutput, 3, "error")])
    func `an import says what is wrong with the disk, whichever file it can't create`(
      journal: Journal, fault: (action: Fault.Action, status: Int32, words: String)
    ) async throws {
      let template = try TemporaryFolder()
      for arguments in [
        ["generate", "ev-charging-tracker", "old.json", "--size", "60kB", "--seed", "1"],
        ["generate", "ev-charging-tracker", "new.json", "--size", "90kB", "--seed", "1"],
        ["import", "old.json", "--into", "store.db"] + Self.now,
      ] {
        #expect(try await FaultedRun(Fixture.command, arguments, in: template.path).ending == .exited(0))
      }
      let folder = try TemporaryFolder()
      let found = folder.path.appending("found")
      if journal == .none {
        try FileManager.default.copyItem(atPath: template.path.string, toPath: found.string)
      } else {
        try Fixture.leaveLog(behind: template.path, to: found, isWrittenBack: journal == .log)
      }
      let scenario = Scenario(
        "import", executable: Fixture.command, ["import", "new.json", "--into", "store.db"] + Self.now, in: found)
      let baseline = try await Baseline(of: scenario)
      let words = try Regex(fault.words)
      var created: [String] = []
      for number in 1...1000 {
        let trial = try await Trial(.creation(fault.action, number: number), against: baseline)
        guard let path = trial.run.fired?.path else { break }
        created.append(FilePath(path).lastComponent?.string ?? "")
        #expect(trial.run.ending == .exited(fault.status), "\(path): \(trial.run.errors)")
        #expect(trial.run.errors.contains(words), "\(path): \(trial.run.errors)")
        #expect(trial.complaints == [], "\(path)")
        #expect(trial.leftovers == [], "\(path)")
      }
      let expected = [Journal.none: "store.db-journal", .log: "store.db-wal", .unfinishedLog: "store.db-shm"]
      #expect(created.contains(try #require(expected[journal])), "\(created)")
    }

    @Test func `the next dry run removes what a killed one left`() async throws {
      let folder = try TemporaryFolder()
      _ = try await FaultedRun(
        Fixture.command, ["generate", "ev-charging-tracker", "a.json", "--size", "2kB"], in: folder.path)
      let temporary = try TemporaryFolder()
      let arguments = ["import", "a.json", "--into", "x.db", "--dry-run"]
      let fault = Fault.failpoint("after-stage", .kill, count: 1)
      let killed = try await FaultedRun(
        Fixture.command, arguments, in: folder.path, fault: fault, environment: ["TMPDIR": temporary.path.string])
      #expect(killed.ending == .signaled(9))
      #expect(try temporary.names.count == 1)
      let next = try await FaultedRun(
        Fixture.command, arguments, in: folder.path, environment: ["TMPDIR": temporary.path.string])
      #expect(next.ending == .exited(0))
      #expect(try temporary.names == [])
    }
  }
#endif
