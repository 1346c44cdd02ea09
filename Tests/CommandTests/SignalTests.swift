import Subprocess
import SystemPackage
import TestSupport
import Testing

/// A run ended by a signal has the signal's status and leaves nothing.
@Suite struct SignalTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// More is written than the pipe holds, so the run is reading when the signal comes. It then waits, and only the signal can end
  /// it.
  @Test(
    arguments: ["validate - --output report.txt", "compress - out.lz4", "convert - out.json", "migrate - out.json"],
    [("INT", "130"), ("TERM", "143"), ("HUP", "129")])
  func `a signal ends the run with its status and leaves nothing`(
    command: String, outcome: (signal: String, status: String)
  ) async throws {
    let script = """
      mkfifo pipe
      "$0" $2 <pipe &
      exec 3>pipe
      head -c 300000 /dev/zero | tr '\\0' ' ' >&3
      kill -$1 $!
      wait $!
      echo $?
      """
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script, Command.path, outcome.signal, command], workingDirectory: folder.path,
      output: .string(limit: 1000), error: .string(limit: 1000))
    #expect(result.standardOutput == outcome.status + "\n")
    #expect(result.standardError == "")
    #expect(try folder.names == ["pipe"])
  }

  @Test func `an ignored hang-up does not end the run`() async throws {
    let script = """
      trap '' HUP
      mkfifo pipe
      "$0" convert - out.json <pipe &
      exec 3>pipe
      head -c 300000 /dev/zero | tr '\\0' ' ' >&3
      kill -HUP $!
      echo '{}' >&3
      exec 3>&-
      wait $!
      echo $?
      """
    let run = try await Command(script: script, in: folder)
    #expect(run.output == "0\n")
    #expect(try folder.names.sorted() == ["out.json", "pipe"])
  }
}
