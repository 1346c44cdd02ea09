import ByteStreams
import JSONEvents
import Testing

@Suite struct ReportedPointerTests {
  private func pointer(_ names: [String]) -> String {
    ReportedPointer.text(names.count) { .name(names[$0].reportedToken, length: names[$0].utf8.count) }
  }

  @Test func `short pointers are complete`() {
    #expect(pointer([]) == "")
    #expect(pointer(["cars", "17", "a/b~c"]) == "/cars/17/a~1b~0c")
    #expect(ReportedPointer.text(5) { .index([0, 9, 10, 99, 100][$0]) } == "/0/9/10/99/100")
  }

  @Test func `a long name is shortened in its middle`() {
    let name = String(repeating: "k", count: 1_000_000)
    let half = String(repeating: "k", count: 64)
    #expect(pointer(["a", name, "x"]) == "/a/\(half)…(999872 bytes cut)…\(half)/x")
    #expect(withView(Array(name.utf8)) { $0.reportedToken } == name.reportedToken)
  }

  @Test func `a deep pointer is shortened in its middle`() {
    let names = (0..<10_000).map { "n\($0)" }
    let text = pointer(names)
    #expect(text.utf8.count < 1200)
    #expect(text.hasPrefix("/n0/n1/n2/"))
    #expect(text.hasSuffix("/n9998/n9999"))
    let whole = names.map { $0.utf8.count + 1 }.reduce(0, +)
    let parts = text.split(separator: "/…(")
    let cut = parts.last?.split(separator: " ").first.flatMap { Int($0) } ?? 0
    #expect(text.utf8.count - "/…(\(cut) bytes cut)…".utf8.count + cut == whole)
  }

  @Test(arguments: 0..<5)
  func `shortening never splits a scalar`(blanks: Int) {
    let text = String(repeating: " ", count: blanks) + String(repeating: "🔋", count: 100)
    for limit in 20..<40 {
      let short = text.shortened(to: limit)
      #expect(!short.unicodeScalars.contains("\u{FFFD}"))
      #expect(short == withView(Array(text.utf8)) { $0.shortened(to: limit) })
    }
    #expect(text.shortened(to: text.utf8.count) == text)
  }

  @Test func `bytes that are not UTF-8 are shortened`() {
    let text = withView([UInt8](repeating: 0x80, count: 1000)) { $0.shortened(to: 100) } ?? ""
    #expect(text.utf8.count < 400)
    #expect(text.contains("bytes cut"))
  }

  private func withView(_ bytes: [UInt8], _ body: (ByteView) -> String) -> String? {
    bytes.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { body(ByteView($0, count: buffer.count)) } }
  }
}
