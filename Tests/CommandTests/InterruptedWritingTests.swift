import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Whatever ends a run that writes, its output is the old file or the new one, and nothing else is left.
@Suite struct InterruptedWritingTests {
  let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    let run = try await Command("generate", "ev-charging-tracker", "in.json", "--size", "2MB", in: folder)
    #expect(run.status == 0)
    try folder.write("old", to: "old")
  }

  private func shell(_ script: String, _ arguments: [String]) async throws -> String {
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: Arguments(["-c", script, Command.path] + arguments), workingDirectory: folder.path,
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    return result.standardOutput
  }

  private static let count = TestDepth.count(everyday: 6, deep: 50)

  private static let commands = [
    "convert --force --jobs 2 in.json out", "convert --force --sort-keys --pretty in.json out", "compress --force in.json out",
    "generate ev-charging-tracker out --force --size 2MB --seed 9",
  ]

  /// The kills are spread over a little more than an undisturbed run's time: the shortest of three, because others may delay a
  /// run.
  @Test(arguments: commands) func `a killed run leaves the old file or the new one`(command: String) async throws {
    let script = """
      run="$0 $1"
      time=
      for attempt in 1 2 3; do
        start=$(date +%s%N)
        $run 2>/dev/null || exit 1
        took=$(( $(date +%s%N) - start ))
        if [ -z "$time" ] || [ "$took" -lt "$time" ]; then time=$took; fi
      done
      cp out new
      names=$(ls -A)
      for seed in $(seq \(Self.count)); do
        cp old out
        $run 2>/dev/null &
        sleep "$(awk -v seed="$seed" -v time="$time" 'BEGIN { srand(seed); print rand() * 1.3 * time / 1e9 }')"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        [ "$(ls -A)" = "$names" ] || echo "left: $(ls -A)"
        if cmp -s out old; then echo old; elif cmp -s out new; then echo new; else echo other; fi
      done
      """
    let outcomes = try await shell(script, [command]).split(separator: "\n").map(String.init)
    #expect(outcomes.count == Self.count)
    #expect(outcomes.allSatisfy { $0 == "old" || $0 == "new" }, "\(outcomes)")
    #expect(outcomes.contains("old"))
  }

  /// A limit on the size of files has the same effect as a full disk.
  @Test(arguments: commands) func `a full disk leaves the old file`(command: String) async throws {
    let script = """
      cp old out
      names=$(ls -A)
      for blocks in 0 1 8 64; do
        (ulimit -f $blocks; "$0" $1 2>&1 >/dev/null; echo "status $?") | tr '\\n' ' ' | grep -c 'cannot write.*large.*status 4'
        cmp out old
        [ "$(ls -A)" = "$names" ] || echo "left: $(ls -A)"
      done
      """
    #expect(try await shell(script, [command]) == "1\n1\n1\n1\n")
  }
}
