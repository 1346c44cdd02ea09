import ByteStreams
import SystemPackage
import TestSupport
import Testing

@testable import CofferBench

@Suite struct ChildTests {
  private func run(_ script: String, _ arguments: String..., keepsOutput: Bool = true) throws -> Child.Outcome {
    try Child("/bin/sh", ["-c", script, "sh"] + arguments, environment: ["NAME": "a=b"], keepsOutput: keepsOutput).wait()
  }

  @Test func `output and errors are kept apart`() throws {
    let outcome = try run("echo out; echo err >&2")
    #expect(outcome.ending == .exited(0))
    #expect(outcome.output == Array("out\n".utf8))
    #expect(outcome.errorOutput == Array("err\n".utf8))
  }

  @Test func `unwanted output is discarded`() throws {
    #expect(try run("test -c /dev/stdout && echo out", keepsOutput: false).output == [])
  }

  @Test(
    arguments: [("exit 0", .exited(0)), ("exit 3", .exited(3)), ("exit 255", .exited(255)), ("kill -KILL $$", .signalled(9))]
      as [(String, Child.Outcome.Ending)])
  func `the exit status or signal is reported`(script: String, ending: Child.Outcome.Ending) throws {
    #expect(try run(script).ending == ending)
  }

  @Test func `arguments and variables are passed unchanged`() throws {
    let outcome = try run(#"printf '%s|' "$NAME" "$@""#, "a b", "", "$x'", "ä")
    #expect(String(decoding: outcome.output, as: UTF8.self) == "a=b|a b||$x'|ä|")
  }

  @Test func `standard input is empty`() throws {
    #expect(try run("cat").output == [])
  }

  /// More than a pipe holds is written to both at once, so that reading only one of them would block forever.
  @Test func `long output is read and its end kept`() throws {
    let outcome = try run("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo end; echo end >&2")
    #expect(outcome.ending == .exited(0))
    #expect(outcome.output.count == 1 << 20)
    #expect(outcome.output.suffix(4) == Array("end\n".utf8)[...])
    #expect(outcome.errorOutput.suffix(4) == Array("end\n".utf8)[...])
  }

  @Test func `time is measured to the end of the process`() throws {
    let outcome = try run("exec >&- 2>&-; sleep 0.2")
    #expect(outcome.seconds >= 0.2)
  }

  @Test func `peak memory includes that of the child`() throws {
    // The shell holds a string of 64 MB.
    let outcome = try Child(
      "/bin/sh", ["-c", "x=$(head -c 64000000 /dev/zero | tr '\\0' a)"], environment: ["PATH": "/usr/bin:/bin"]
    ).wait()
    #expect(outcome.ending == .exited(0))
    // Linux also counts the memory of this process when it started the child, which may be gigabytes, so there is no upper bound.
    #expect(outcome.peakMemory >= 64_000_000, "\(outcome.peakMemory)")
    #expect(outcome.peakMemory.isMultiple(of: 1024))
  }

  @Test func `background processes of the child are not waited for`() throws {
    let outcome = try run("sleep 600 & echo $!")
    #expect(outcome.ending == .exited(0))
    let number = try #require(Int32(String(decoding: outcome.output, as: UTF8.self).dropLast()))
    #expect(try run("kill -KILL \(number)").ending == .exited(0))
  }

  @Test func `cancellation ends the process`() throws {
    let folder = try TemporaryFolder()
    let number = folder.path.appending("number")
    let child = try Child(
      "/bin/sh", ["-c", "echo $$ >\(number).tmp; mv \(number).tmp \(number); exec sleep 600"],
      environment: ["PATH": "/usr/bin:/bin"])
    var started: String?
    while started == nil { started = try? folder.text(of: "number") }
    let cancellation = Cancellation()
    cancellation.request()
    // A closure can't capture a value that can be consumed only once.
    var error: (any Error)?
    do { _ = try child.wait(cancellation: cancellation) } catch let thrown { error = thrown }
    #expect(error is CancellationError)
    // No such process.
    #expect(try run("kill -0 \(started ?? "")").ending != .exited(0))
  }

  @Test func `a missing program is an error`() throws {
    let error = #expect(throws: CofferError.self) { _ = try Child("/nowhere/coffer", []).wait() }
    #expect(error?.code == .notStarted)
    #expect(error?.message.hasPrefix("cannot start /nowhere/coffer: ") == true)
  }
}
