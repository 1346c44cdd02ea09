import ByteStreams
import Findings
import Reports
import Testing

@Suite struct ReportedPathTests {
  @Test(arguments: [
    ("sub/../f.json", "f.json"), ("./f.json", "f.json"), ("a//b/./f.json", "a/b/f.json"), ("../f.json", "../f.json"),
    ("../a/../../f.json", "../../f.json"), ("a/../../f.json", "../f.json"), ("/work/repo/f.json", "f.json"),
    ("/work/repo/a/../b/f.json", "b/f.json"), ("/work/repository/f.json", "/work/repository/f.json"), ("/f.json", "/f.json"),
    ("/../f.json", "/f.json"), ("/work/repo", "/work/repo"), ("a..b/f.json", "a..b/f.json"), ("..", ".."),
  ])
  func `other programs get the shortest relative path`(file: String, path: String) throws {
    var report = ValidationReport(file: file)
    report.error = CofferError(.notFound, "gone")
    var results = ValidationResults([report], toolVersion: "1")
    results.folder = "/work/repo/"
    let uri = path.hasPrefix("/") ? "file://\(path)" : path
    for (format, text) in [
      (ReportFormat.sarif, "\"uri\": \"\(uri)\""), (.github, "::error file=\(path),"), (.gitlab, "\"path\": \"\(path)\""),
      (.rdjsonl, "\"path\":\"\(path)\""), (.checkstyle, "<file name=\"\(path)\">"),
    ] {
      var sink = MemorySink()
      try results.write(as: format, to: &sink)
      let written = String(decoding: sink.bytes, as: UTF8.self)
      #expect(written.contains(text), "\(format): \(written)")
    }
  }

  @Test func `text and JSON keep the path that was given`() throws {
    var results = ValidationResults([ValidationReport(file: "/work/repo/a/../f.json")], toolVersion: "1")
    results.folder = "/work/repo"
    for format in [ReportFormat.text, .json] {
      var sink = MemorySink()
      try results.write(as: format, to: &sink)
      #expect(String(decoding: sink.bytes, as: UTF8.self).contains("/work/repo/a/../f.json"))
    }
  }
}
