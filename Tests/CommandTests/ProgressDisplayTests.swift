import ArgumentParser
import ByteStreams
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import CofferCommand

@Suite struct ProgressDisplayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Calls `body` with a new terminal of 40 columns.
  private func withTerminal(_ body: (_ screen: FileDescriptor, _ terminal: FileDescriptor) throws -> Void) throws {
    var (first, second): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&first, &second, nil, nil, &size) == 0)
    let (screen, terminal) = (FileDescriptor(rawValue: first), FileDescriptor(rawValue: second))
    defer {
      try? terminal.close()
      try? screen.close()
    }
    try body(screen, terminal)
  }

  private func withErrors<R>(_ errors: FileDescriptor, output: FileDescriptor? = nil, _ body: () throws -> R) throws -> R {
    let nowhere = try FileDescriptor.open("/dev/null", .readWrite)
    defer { try? nowhere.close() }
    return try StandardStreams.$current.withValue(
      StandardStreams(input: nowhere, output: output ?? nowhere, errors: errors), operation: body)
  }

  @Test func `a line on a terminal is cut to its width, and makes way for output`() async throws {
    try await withTaskExecutorPreference(DedicatedExecutor()) {
      try withTerminal { screen, terminal in
        try withErrors(terminal) {
          try ProgressDisplay("validating", .line, tick: .milliseconds(1)).run { progress in
            progress.begin("this message is too long for a narrow terminal", byteCount: nil)
            let line = try screen.text(upTo: "…")
            #expect(line.contains("\r\u{1B}[Kvalidating: this message is too long f…"), "\(line)")
            Output.printNotice("a notice")
            let notice = try screen.text(upTo: "notice\r\n")
            // The line may have been drawn again, before the notice and after it.
            #expect((line + notice).contains("\r\u{1B}[Ka notice\r\n"), "\(notice)")
            _ = try screen.text(upTo: "…")
          }
          Output.printNotice("the end")
          let end = try screen.text(upTo: "the end")
          #expect(end.contains("\u{1B}[Kthe end"), "\(end)")
        }
      }
    }
  }

  @Test func `plain lines are repeated, without escape sequences`() throws {
    let path = folder.path.appending("errors")
    let errors = try FileDescriptor.open(path, .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
    defer { try? errors.close() }
    try withErrors(errors) {
      try ProgressDisplay("validating", .plain(every: .milliseconds(2)), tick: .milliseconds(1)).run { progress in
        progress.begin(byteCount: 100_000_000)
        progress.add(records: 5)
        // The thread may have drawn before the work began.
        let count = try folder.text(of: "errors").split(separator: "\n").count
        while try folder.text(of: "errors").split(separator: "\n").count < count + 3 { usleep(1000) }
      }
    }
    let lines = try folder.text(of: "errors").split(separator: "\n")
    #expect(lines.last == "validating: 0 of 100 MB (0 %), 5 records")
    #expect(try !folder.text(of: "errors").contains("\u{1B}"))
  }

  @Test func `the error of the work is thrown, and results are returned`() throws {
    let display = ProgressDisplay("validating", .never)
    #expect(throws: CofferError(.noSpace, "no")) {
      try display.run { _ throws(CofferError) in throw CofferError(.noSpace, "no") }
    }
    let seven = ProgressDisplay("validating", .never).run { _ in 7 }
    #expect(seven == 7)
  }

  // MARK: Options

  private func style(_ arguments: [String], writing output: String? = nil) throws -> ProgressDisplay.Style {
    try ProgressArgument.parse(arguments).style(writing: output)
  }

  @Test func `a line needs a terminal, and no document on it`() throws {
    let line = Terminal.isDumb ? ProgressDisplay.Style.never : .line
    let plain = ProgressDisplay.Style.plain(every: .seconds(60))
    try withTerminal { _, terminal in
      func styles(output: FileDescriptor?) throws -> [ProgressDisplay.Style] {
        try withErrors(terminal, output: output) {
          [try style([]), try style([], writing: "out.json"), try style([], writing: "-")]
        }
      }
      #expect(try styles(output: terminal) == [line, line, .never])
      #expect(try styles(output: nil) == [line, line, line])
      let others = try withErrors(terminal) {
        [try style(["--no-progress"]), try style(["--progress", "never"]), try style(["--progress", "plain"])]
      }
      #expect(others == [.never, .never, plain])
    }
    let log = try FileDescriptor.open("/dev/null", .writeOnly)
    defer { try? log.close() }
    #expect(try withErrors(log) { [try style([]), try style(["--progress", "plain"])] } == [.never, plain])
  }

  @Test func `no progress and plain progress can't be combined`() async throws {
    let run = try await Command("validate", "--no-progress", "--progress", "plain", "a.json")
    #expect(run.status == 2)
    #expect(run.errors.contains("--no-progress and --progress plain can't be combined"))
  }

  // MARK: SIGUSR1

  /// More is written than the pipe holds, so the run is reading when the signal comes.
  @Test(arguments: ["", "--no-progress"])
  func `SIGUSR1 prints the state once, and the run continues`(option: String) async throws {
    let script = """
      mkfifo pipe
      "$0" validate --syntax-only \(option) - <pipe 2>errors &
      exec 3>pipe
      head -c 3000000 /dev/zero | tr '\\0' ' ' >&3
      kill -USR1 $!
      until [ -s errors ]; do sleep 0.01; done
      echo '{}' >&3
      exec 3>&-
      wait $!
      echo $?
      cat errors
      """
    let run = try await Command(script: script, in: folder)
    #expect(run.output.contains(/\n0\nvalidating: [23] MB(, [0-9.,]+ [kM]B\/s)?\n$/), "\(run.output)")
  }
}
