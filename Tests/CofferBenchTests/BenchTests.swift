import ByteStreams
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import CofferBench

/// The whole bench, with a shell script in place of the command.
@Suite struct BenchTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("{}", to: "a.json")
  }

  private func bench(_ script: String) throws -> Bench {
    try folder.write("#!/bin/sh\n" + script, to: "command")
    #expect(chmod(folder.path.appending("command").string, 0o700) == 0)
    let document = Document(file: folder.path.appending("a.json"), kind: .json)
    var bench = Bench(of: document, on: ThroughputReport.machine)
    bench.executable = folder.path.appending("command")
    bench.shell = bench.executable
    bench.scratchParent = folder.path
    return bench
  }

  private func script(bytes: String, then rest: String) -> String {
    """
    case "$*" in
      *nothing.json*) ;;
      "validate"*) echo '{"files": [{"format": "swiff", "version": 1, "valid": true, "bytes": \(bytes), "records": 7}]}' ;;
    esac
    \(rest)
    """
  }

  @Test func `every step runs in a scratch folder that is removed afterwards`() throws {
    let script = script(
      bytes: "2000",
      then: #"echo "$TMPDIR: $*" >>"\#(folder.path)/log"; test "$1" != export || ls "$TMPDIR" >>"\#(folder.path)/log""#)
    let report = try bench(script).report(named: "a", options: .init(jobs: [1]))
    #expect(report.measurements.map(\.figure.step) == Step.allCases)
    #expect(report.measurements.allSatisfy { $0.failure == nil && $0.runs.count == 1 })
    #expect(report.survey.bytes == 2000)
    #expect(report.survey.storedBytes == 2)
    let log = try folder.text(of: "log").split(separator: "\n")
    // Each step, the survey, and the preparation of compressed data, database and tables; and the final content of the folder.
    let names = ["database", "nothing.json", "nowhere.zip", "plain", "tables"]
    #expect(log.count == 10 + 4 + names.count)
    #expect(log.map(String.init).filter(names.contains) == names)
    #expect(log.filter { !names.contains(String($0)) }.allSatisfy { $0.hasPrefix("\(folder.path)/.coffer-") })
    #expect(try folder.names == ["a.json", "command", "log"])
  }

  @Test func `each import starts with an empty folder`() throws {
    let script = script(
      bytes: "2000",
      then: #"test "$1 $6" != "import replace" || { ls "$TMPDIR/database" >>"\#(folder.path)/log"; : >"$TMPDIR/database/x"; }"#)
    var options = ThroughputPlan.Options(jobs: [1, 2])
    options.rounds = 2
    options.steps = [.import]
    let report = try bench(script).report(named: "a", options: options)
    #expect(report.measurements.allSatisfy { $0.runs.count == 2 })
    #expect(try folder.text(of: "log") == "")
  }

  @Test func `nothing is measured without enough disk space`() throws {
    let script = script(bytes: "1000000000000000", then: #"echo "$1" >>"\#(folder.path)/log""#)
    let error = #expect(throws: CofferError.self) { try bench(script).report(named: "a", options: .init(jobs: [1])) }
    #expect(error?.code == .noSpace)
    #expect(error?.message.hasPrefix("not enough space in \(folder.path): up to 7510000002 MB needed, ") == true)
    #expect(try folder.text(of: "log") == "validate\n")
    #expect(try folder.names == ["a.json", "command", "log"])
  }

  @Test func `a command without a report ends the bench`() throws {
    let error = #expect(throws: CofferError.self) { try bench("exit 3").report(named: "a", options: .init(jobs: [1])) }
    #expect(error?.code == .noReport)
    #expect(try folder.names == ["a.json", "command"])
  }

  @Test func `cancellation leaves nothing`() throws {
    var bench = try bench(script(bytes: "2000", then: "case $* in *nothing.json*) exec sleep 600 ;; esac"))
    let cancellation = Cancellation()
    bench.cancellation = cancellation
    #expect(throws: CancellationError.self) {
      try bench.report(named: "a", options: .init(jobs: [1])) { if $0.hasPrefix("parse") { cancellation.request() } }
    }
    #expect(try folder.names == ["a.json", "command"])
  }
}
