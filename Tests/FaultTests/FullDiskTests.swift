import SystemPackage
import TestSupport
import Testing

#if os(Linux)
  @Suite struct FullDiskTests {
    private static let now = ["--now", "2026-07-10T12:00:00Z"]

    /// SQLite doesn't say why it can't create a file, so no file is left for it to create.
    @Test func `an import says that the disk is full, whichever file it can't create`() async throws {
      let template = try TemporaryFolder()
      for arguments in [
        ["generate", "ev-charging-tracker", "old.json", "--size", "2kB", "--seed", "1"],
        ["generate", "ev-charging-tracker", "new.json", "--size", "3kB", "--seed", "1"],
        ["import", "old.json", "--into", "store.db"] + Self.now,
      ] {
        #expect(try await FaultedRun(Fixture.command, arguments, in: template.path).ending == .exited(0))
      }
      let scenario = Scenario(
        "import", executable: Fixture.command, ["import", "new.json", "--into", "store.db"] + Self.now, in: template.path)
      var created: [String] = []
      for number in 1...1000 {
        let folder = try TemporaryFolder()
        let place = try scenario.copyTemplate(into: folder)
        let fault = Fault.creation(.noSpace, number: number)
        let run = try await FaultedRun(scenario.executable, scenario.arguments, in: place, fault: fault)
        guard let path = run.fired?.path else { break }
        created.append(FilePath(path).lastComponent?.string ?? "")
        #expect(run.ending == .exited(4), "\(path): \(run.errors)")
        #expect(run.errors.contains("full") || run.errors.contains("space"), "\(path): \(run.errors)")
      }
      #expect(created.contains("store.db-journal"))
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
