import GRDB
import SystemPackage
import TestSupport
import Testing

#if os(Linux)
  /// Trials can fail: commands with forbidden behaviour are detected, each for its own reason.
  @Suite struct NegativeControlTests {
    private let folder: TemporaryFolder
    private var template: FilePath { folder.path.appending("template") }

    init() throws {
      folder = try TemporaryFolder()
      try folder.write("old", to: "template/file")
    }

    /// Runs a trial of a shell script in place of a command.
    private func trial(_ script: String, _ fault: Fault) async throws -> Trial {
      let scenario = Scenario("control", executable: "/bin/sh", ["-c", script], in: template)
      return try await Trial(fault, against: Baseline(of: scenario))
    }

    private static let atomic = "printf new >.file && mv .file file"

    @Test(arguments: 1...3) func `an atomic replacement passes`(number: Int) async throws {
      let trial = try await trial(Self.atomic, .call(.kill, number: number, isSticky: false))
      #expect(trial.complaints == [])
      #expect(trial.outcome == (trial.run.ending == .signaled(9) ? .before : .after))
    }

    @Test func `writing a file in place is detected`() async throws {
      let trial = try await trial("printf ne >file && printf w >>file", .call(.kill, number: 3, isSticky: false))
      #expect(trial.outcome == .neither)
      #expect(trial.complaints.first?.contains("neither before nor after: differs from before in [\"file\"]") == true)
    }

    @Test func `a leftover file is detected`() async throws {
      let trial = try await trial("printf new >file.tmp && mv file.tmp file", .call(.kill, number: 2, isSticky: false))
      #expect(trial.outcome == .neither)
      #expect(trial.complaints.first?.contains("file.tmp") == true)
    }

    @Test func `a failure reported as success is detected`() async throws {
      let trial = try await trial(Self.atomic + "; true", .call(.noSpace, number: 2, isSticky: false))
      #expect(trial.outcome == .before)
      #expect(trial.complaints.contains { $0.hasPrefix("says that it succeeded") })
    }

    @Test func `a message that does not name the full disk is detected`() async throws {
      let trial = try await trial("(\(Self.atomic)) 2>/dev/null || exit 3", .call(.noSpace, number: 2, isSticky: false))
      #expect(trial.complaints.contains { $0.hasPrefix("ends with status 3 on a full disk") })
      #expect(trial.complaints.contains { $0.hasPrefix("doesn't say that the disk is full") })
    }

    @Test func `a success reported as failure is detected`() async throws {
      let trial = try await trial(
        Self.atomic + " && { printf more >.more || { echo error >&2; exit 3; }; }",
        .call(.inputOutput, number: 4, isSticky: false))
      #expect(trial.outcome == .after)
      #expect(trial.complaints.first?.hasPrefix("fails with status 3, without saying that all is in place") == true)
    }

    @Test(arguments: [("TRAP", 5), ("SEGV", 11), ("ILL", 4)])
    func `a crash is detected`(signal: String, number: Int) async throws {
      let trial = try await trial(
        "printf new >.file || kill -\(signal) $$; mv .file file", .call(.noSpace, number: 2, isSticky: false))
      #expect(trial.complaints.first?.hasPrefix("ended by signal \(number)") == true)
    }

    @Test func `a run that blocks the next one is detected`() async throws {
      let trial = try await trial(
        "[ -e .lock ] && exit 4; printf '' >.lock; \(Self.atomic); rm .lock", .call(.kill, number: 3, isSticky: false))
      #expect(trial.outcome == .before)
      #expect(trial.complaints.first?.hasPrefix("the next run fails: exited(4)") == true)
    }

    @Test func `a run that changes the result of the next one is detected`() async throws {
      let trial = try await trial("printf x >>.parts; cat .parts >.file; mv .file file", .call(.kill, number: 3, isSticky: false))
      #expect(trial.complaints.first?.hasPrefix("the next run leaves something else") == true)
    }

    // MARK: Safety copies

    /// A script that copies the database, then changes a file.
    private static let careful = """
      dd if=store.db of=.copy status=none && mv .copy store.db.before-import-20260101T000000Z.sqlite
      [ ! -e source ] || mv source file
      """

    private func addStore() throws {
      try folder.write("new", to: "template/source")
      let queue = try DatabaseQueue(path: template.appending("store.db").string)
      try queue.write { database in
        try database.execute(
          sql: "CREATE TABLE cars (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO cars (name) VALUES ('one'), ('two')")
      }
      try queue.close()
    }

    @Test func `a command that makes a safety copy passes`() async throws {
      try addStore()
      let trial = try await trial(Self.careful, .none)
      #expect(trial.complaints == [])
    }

    @Test func `a change without a safety copy is detected`() async throws {
      try addStore()
      // Each process counts separately: only the copy reaches a third call.
      let trial = try await trial(Self.careful, .call(.noSpace, number: 3, isSticky: false))
      #expect(trial.outcome == .after)
      #expect(trial.complaints == ["no safety copy of what was there: []"])
    }

    @Test func `a truncated safety copy is detected`() async throws {
      try addStore()
      let trial = try await trial(
        Self.careful.replacing("dd if", with: "dd bs=4096 count=1 if"), .none)
      #expect(trial.complaints.contains { $0.hasPrefix("store.db.before-import-20260101T000000Z.sqlite: ") })
      #expect(trial.complaints.contains("store.db.before-import-20260101T000000Z.sqlite is a copy of nothing that was there"))
    }

    @Test func `a scenario that fails without a fault is refused`() async throws {
      await #expect(throws: Baseline.Failure.self) { try await trial("exit 1", .none) }
    }
  }
#endif
