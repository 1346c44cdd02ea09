import Subprocess
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a person sees who looks at both the document and what is said of it.
@Suite struct TerminalTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"cars": [{"id": 1}], "rest": []}"#, to: "a.json")
  }

  @Test(arguments: [
    (["convert", "--only", "cars", "a.json", "-"], #"{"cars":[{"id":1}],"rest":[]}"# + "\nleft out: rest\n"),
    (["convert", "--collection", "/cars", "--to", "ndjson", "a.json", "-"], "{\"id\":1}\n"),
    (["convert", "--collection", "/rest", "a.json", "-"], "[]\n"),
    (["convert", "--collection", "/rest", "--to", "ndjson", "a.json", "-"], ""),
  ])
  func whatFollowsADocumentBeginsALine(arguments: [String], text: String) async throws {
    #expect(try await shown(arguments) == text)
  }

  /// Runs the command on a terminal of its own, and gives what stands there then.
  private func shown(_ arguments: [String]) async throws -> String {
    var (first, second): (Int32, Int32) = (-1, -1)
    try #require(openpty(&first, &second, nil, nil, nil) == 0)
    let (screen, terminal) = (FileDescriptor(rawValue: first), FileDescriptor(rawValue: second))
    // Held open, for what is left to be read goes with the last one who writes.
    defer {
      try? terminal.close()
      try? screen.close()
    }
    let input = try FileDescriptor.open("/dev/null", .readOnly)
    defer { try? input.close() }
    _ = try await Subprocess.run(
      .path(.init(Command.path)), arguments: Arguments(arguments), workingDirectory: folder.path,
      input: .fileDescriptor(input, closeAfterSpawningProcess: false),
      output: .fileDescriptor(terminal, closeAfterSpawningProcess: false),
      error: .fileDescriptor(terminal, closeAfterSpawningProcess: false))
    // So that there is something to be read at any rate.
    try terminal.writeAll(".".utf8)
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !text.hasSuffix(".") {
      let count = try buffer.withUnsafeMutableBytes { try screen.read(into: $0) }
      text += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    return String(text.dropLast().filter { $0 != "\r" }.map { $0 == "\r\n" ? "\n" : $0 })
  }
}
