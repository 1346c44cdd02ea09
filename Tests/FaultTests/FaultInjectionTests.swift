import Foundation
import SystemPackage
import TestSupport
import Testing

#if os(Linux)
  /// The fault injection library works: otherwise every trial would pass.
  @Suite struct FaultInjectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shell(_ script: String, _ fault: Fault = .none) async throws -> FaultedRun {
      try await FaultedRun("/bin/sh", ["-c", script], in: folder.path, fault: fault)
    }

    /// Copies three bytes, one at a time.
    private func copy(_ fault: Fault = .none) async throws -> FaultedRun {
      try folder.write("abc", to: "in")
      let arguments = ["if=in", "of=out", "bs=1", "conv=fsync", "status=none"]
      return try await FaultedRun("/bin/dd", arguments, in: folder.path, fault: fault)
    }

    @Test func `calls on files of the folder are counted`() async throws {
      let run = try await copy()
      #expect(run.ending == .exited(0))
      #expect(run.callCounts.filter { $0.value > 0 } == ["create": 1, "write": 3, "sync": 1])
      #expect(run.microseconds ?? 0 > 0)
      #expect(run.fired == nil)
    }

    @Test func `calls on other files are not counted`() async throws {
      let other = try TemporaryFolder()
      let arguments = ["if=/dev/zero", "count=3", "of=\(other.path.appending("out"))", "status=none"]
      let run = try await FaultedRun("/bin/dd", arguments, in: folder.path, fault: .call(.noSpace, number: 1, isSticky: true))
      #expect(run.ending == .exited(0))
      #expect(run.callCounts.count == 6)
      #expect(run.callCounts.values.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [(Fault.Action.noSpace, "No space left on device"), (.inputOutput, "Input/output error")])
    func `the given call fails with the given error`(action: Fault.Action, message: String) async throws {
      let run = try await copy(.call(action, number: 3, isSticky: false))
      #expect(run.ending == .exited(1))
      #expect(run.fired?.kind == "write")
      #expect(run.fired?.path.hasSuffix("/out") == true)
      #expect(run.errors.contains(message))
      #expect(try folder.text(of: "out") == "a")
    }

    @Test func `calls after the failing one succeed`() async throws {
      _ = try await shell("echo a >a; echo b >b; echo c >c", .call(.noSpace, number: 4, isSticky: false))
      #expect(try ["a", "b", "c"].map { try folder.text(of: $0) } == ["a\n", "", "c\n"])
    }

    @Test func `all calls after a sticky failure fail`() async throws {
      let run = try await shell("echo a >a; echo b >a; echo c >c", .call(.noSpace, number: 4, isSticky: true))
      #expect(run.ending == .exited(2))
      #expect(try folder.text(of: "a") == "")
      #expect(try folder.names == ["a"])
    }

    @Test func `a run is killed in place of a call`() async throws {
      let run = try await shell("echo a >a; echo b >b", .call(.kill, number: 4, isSticky: false))
      #expect(run.ending == .signaled(9))
      #expect(try folder.text(of: "a") == "a\n")
      #expect(try folder.text(of: "b") == "")
    }

    @Test func `a run is killed in the middle of a write`() async throws {
      let run = try await shell("printf abcdef >a", .call(.cut, number: 2, isSticky: false))
      #expect(run.ending == .signaled(9))
      #expect(try folder.text(of: "a") == "abc")
    }

    @Test func `a run is killed after a call that writes nothing`() async throws {
      let run = try await shell("echo >a; echo >b", .call(.cut, number: 3, isSticky: false))
      #expect(run.ending == .signaled(9))
      #expect(try folder.names == ["a", "b"])
      #expect(try folder.text(of: "b") == "")
    }

    /// `mv` renames in one call, so the name exists or doesn't.
    @Test(arguments: [(Fault.Action.kill, "a"), (.cut, "b")])
    func `a run is killed before or after a rename`(action: Fault.Action, left: String) async throws {
      try folder.write("text", to: "a")
      let run = try await FaultedRun("/bin/mv", ["a", "b"], in: folder.path, fault: .call(action, number: 1, isSticky: false))
      #expect(run.ending == .signaled(9))
      #expect(run.fired?.kind == "rename")
      #expect(try folder.names == [left])
    }

    @Test func `a run is killed after a given time`() async throws {
      let run = try await shell("while :; do :; done", .moment(microseconds: 1000))
      #expect(run.ending == .signaled(9))
    }

    @Test func `failpoints are reached by their names`() async throws {
      try folder.write("[1]", to: "in.json")
      let arguments = ["convert", "in.json", "out.json"]
      let clean = try await FaultedRun(Fixture.command, arguments + ["--force"], in: folder.path)
      #expect(clean.failpoints == ["before-rename", "after-rename", "before-folder-sync"])
      for name in clean.failpoints {
        let killed = try await FaultedRun(
          Fixture.command, arguments + ["--force"], in: folder.path, fault: .failpoint(name, .kill, count: 1))
        #expect(killed.ending == .signaled(9))
        #expect(killed.failpoints.last == name)
        let full = try await FaultedRun(
          Fixture.command, arguments + ["--force"], in: folder.path, fault: .failpoint(name, .noSpace, count: 1))
        #expect(full.ending == .exited(4))
      }
    }
  }
#endif
