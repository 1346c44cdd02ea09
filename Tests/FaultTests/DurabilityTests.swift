import SystemPackage
import TestSupport
import Testing

#if os(Linux)
  /// Data must survive a power failure: no other test notices a missing `fsync`.
  @Suite struct DurabilityTests {
    /// Returns the kind and the file of the `number`th call on files of the folder; `nil` after the last.
    private func call(_ number: Int, of arguments: [String]) async throws -> (kind: String, path: FilePath, folder: FilePath)? {
      let folder = try TemporaryFolder()
      try folder.write(#"{"a": 1}"#, to: "in.json")
      let run = try await FaultedRun(
        Fixture.command, arguments, in: folder.path, fault: .call(.inputOutput, number: number, isSticky: false))
      return run.fired.map { ($0.kind, FilePath($0.path), folder.path) }
    }

    @Test func `a file is synced before it gets its name, and its folder after`() async throws {
      var calls: [String] = []
      while let call = try await call(calls.count + 1, of: ["convert", "in.json", "out.json"]) {
        let name = call.path == call.folder ? "folder" : call.path.lastComponent?.string == "out.json" ? "out.json" : "unnamed"
        calls.append("\(call.kind) \(name)")
      }
      #expect(calls == ["create unnamed", "write unnamed", "sync unnamed", "rename out.json", "sync folder"])
    }
  }
#endif
