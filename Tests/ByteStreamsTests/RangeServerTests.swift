import ByteStreams
import TestSupport
import Testing

@Suite struct RangeServerTests {
  @Test func `a served file has its bytes at any offset`() throws {
    let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let server = try FileServer(["b.json": content])
    let bytes = try StoredBytes("b.json", of: RangeServer(server.connection), Execution())
    #expect(bytes.byteCount == 5000)
    for range in [0..<5000, 1..<2, 999..<3001, 4990..<5000, 5000..<5000] {
      var source = StoredSource(bytes, range)
      let found = try source.readPrefix(6000)
      #expect(found == Array(content[range]))
    }
    try bytes.checkUnchanged()
  }

  @Test(arguments: [
    "error no such file", "", "x", "-1 v", "5", "9999999999999999999 v", "5 v w", String(repeating: "1", count: 99_999),
  ])
  func `a wrong reply is an error`(reply: String) throws {
    let server = try FileServer(["b.json": [1, 2, 3]]) { _ in reply }
    let error = #expect(throws: CofferError.self) {
      try StoredBytes("b.json", of: RangeServer(server.connection), Execution())
    }
    #expect(error?.code == .inputOutput)
    #expect(error?.message.hasPrefix("cannot read b.json: ") == true)
  }

  @Test(arguments: ["4", "-1", "", "3 3", "error gone"])
  func `a wrong number of bytes is an error`(reply: String) throws {
    let server = try FileServer(["b.json": [1, 2, 3]]) { $0.hasSuffix("version") ? $0 : reply }
    let bytes = try StoredBytes("b.json", of: RangeServer(server.connection), Execution())
    let error = #expect(throws: CofferError.self) {
      var source = StoredSource(bytes)
      return try source.readPrefix(3)
    }
    #expect(error?.code == .inputOutput)
  }

  @Test func `a name with a line break is not sent`() throws {
    let server = try FileServer(["b.json": [1, 2, 3]])
    let error = #expect(throws: CofferError.self) {
      try StoredBytes("a\nstat b.json", of: RangeServer(server.connection), Execution())
    }
    #expect(error?.code == .notFound)
  }

  @Test(arguments: [
    ("hdfs:/a", true), ("s3a://b/c", true), ("viewfs://x/y", true), ("file:///a", true), ("a+b.c-1:/x", true), ("c:/a", false),
    ("/a:/b", false), ("a.json", false), ("a:b", false), ("", false), (":/", false), ("ab:", false), ("ä:/x", false),
  ])
  func `URIs are served`(name: String, isServed: Bool) { #expect(RangeServer.serves(name) == isServed) }
}
