import ByteStreams
import Coffer
import TestSupport
import Testing
import ZIPArchives

/// Archives of a custom format: its descriptor can do all that the built-in ones can.
@Suite struct DescribedArchiveTests {
  static let descriptor = #"""
    {
      "backup": {
        "name": "notes", "version": {"pointer": "/v", "current": 1}, "detect": "/notes",
        "archive": {
          "metadata": "notes.json", "files": "files/",
          "documents": {
            "index.json": {
              "rules": {"$ref": "#/$defs/index"},
              "agrees": {
                "/count": {"countOf": "/notes"},
                "/made": "/made",
                "/mark": {"valueOf": "/mark", "severity": "warning", "code": "mark", "errorMessage": "another mark"}
              }
            },
            "more.json": {"required": false}
          }
        }
      },
      "properties": {
        "notes": {"items": {"properties": {
          "file": {"containerEntry": {"prefix": "files/", "errorMessage": "lost", "code": "lost", "severity": "note",
            "size": {"field": "bytes", "severity": "error", "code": "bytes"}, "digest": {"field": "hash", "algorithm": "sha256"}}}
        }}}
      },
      "$defs": {"index": {"required": ["count"], "properties": {"count": {"type": "integer"}}}}
    }
    """#

  static func lines(_ entries: [(String, String)]) throws -> [String] { SampleBackup.lines(of: try report(entries)) }

  private static func report(_ entries: [(String, String)]) throws -> ValidationReport {
    var writer = ZIPWriter(to: MemorySink())
    for (name, text) in entries { try writer.addCompressed(name, from: MemorySource(text.utf8), size: nil) }
    try writer.finish()
    let format = try BackupFormat(descriptor: descriptor)
    return try SampleBackup.report(writer.sink.bytes, .format(format))
  }

  private static let index = ("index.json", #"{"count": 1, "made": "today", "mark": 1.0}"#)
  private static let hash = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"

  @Test(arguments: [
    (#"{"file": "a", "bytes": 3, "hash": "\#(hash)"}"#, []),
    // Members may be in any order, and hexadecimal digits in either case.
    (#"{"hash": "\#(hash.uppercased())", "bytes": 3.0, "file": "a"}"#, []),
    (#"{"hash": "00", "bytes": 4, "file": "a"}"#, ["checksum error /notes/0/hash", "bytes error /notes/0/bytes"]),
    (#"{"bytes": null, "hash": 5, "file": "a"}"#, []),
    (#"{"bytes": 4, "hash": "00", "file": "b"}"#, ["lost note /notes/0/file", "file-extra warning files/a"]),
    (#"{"bytes": 4}"#, ["file-extra warning files/a"]),
  ])
  func `names, sizes and digests are compared with the files`(note: String, findings: [String]) throws {
    let document = ("notes.json", #"{"v": 1, "made": "today", "mark": 1, "notes": [\#(note)]}"#)
    #expect(try Self.lines([document, Self.index, ("files/a", "foo")]) == findings)
    #expect(try Self.lines([("files/a", "foo"), Self.index, document]) == findings)
  }

  @Test func `messages have the expected and the found value, at most the start of a long one`() throws {
    let note = #"{"file": "a", "hash": "\#(String(repeating: "0", count: 100_000))"}"#
    let document = ("notes.json", #"{"v": 1, "made": "today", "mark": 1, "notes": [\#(note)]}"#)
    let index = ("index.json", #"{"count": 2, "made": "then"}"#)
    let report = try Self.report([document, index, ("files/a", "foo")])
    #expect(
      Set(report.findings.map(\.message)) == [
        "the SHA-256 of the entry files/a is \(Self.hash), not \(String(repeating: "0", count: 200))",
        "expected the number of items of /notes in the backup's document, which is 1, found 2",
        "expected the value of /made in the backup's document, which is 'today', found 'then'",
      ])
  }

  @Test(arguments: [
    (#"{"count": 1, "made": "today", "mark": 1}"#, []),
    (#"{"count": 1}"#, []),
    (#"{"count": 2, "made": "today"}"#, ["count-of error index.json /count"]),
    (#"{"count": 1, "made": "then"}"#, ["consistency error index.json /made"]),
    (#"{"count": 1, "mark": 2}"#, ["mark warning index.json /mark"]),
    (#"{"count": "1"}"#, ["type error index.json /count", "count-of error index.json /count"]),
    (#"{}"#, ["required error index.json /count"]),
    (#"{"count": 1"#, ["truncated"]),
  ])
  func `a secondary document must agree with the main one`(index: String, findings: [String]) throws {
    let document = ("notes.json", #"{"v": 1, "made": "today", "mark": 1, "notes": [{}]}"#)
    let found = try Self.lines([document, ("index.json", index)])
    #expect(found.sorted() == findings.sorted())
  }

  @Test func `a missing secondary document is an error if it is required`() throws {
    let found = try Self.lines([("notes.json", #"{"v": 1, "notes": []}"#)])
    #expect(found == ["file-missing error index.json"])
  }

  @Test(arguments: [
    #"{"backup": {"name": "a", "archive": {}}}"#, #"{"backup": {"name": "a", "archive": {"metadata": "a/"}}}"#,
    #"{"backup": {"name": "a", "archive": {"metadata": "a", "files": "b"}}}"#,
    #"{"backup": {"name": "a", "archive": {"metadata": "a", "limits": {"size": 0}}}}"#,
    #"{"backup": {"name": "a", "archive": {"metadata": "a", "documents": {"b": {"agrees": {"/c": "d"}}}}}}"#,
    ##"{"backup": {"name": "a", "archive": {"metadata": "a", "documents": {"b": {"rules": {"$ref": "#/$defs/c"}}}}}}"##,
    #"{"properties": {"a": {"containerEntry": 1}}, "backup": {"name": "a"}}"#,
    #"{"properties": {"a": {"containerEntry": {"digest": {"field": "b", "algorithm": "crc"}}}}, "backup": {"name": "a"}}"#,
    #"{"properties": {"a": {"anyOf": [{"containerEntry": true}]}}, "backup": {"name": "a"}}"#,
  ])
  func `mistakes in the description of an archive are refused`(descriptor: String) throws {
    #expect(throws: CofferError.self) { try BackupFormat(descriptor: descriptor).rules.compiled() }
  }

  /// With and without slices, and with any number of threads.
  @Test func `the number of threads does not change the report of a large archive`() throws {
    var writer = ZIPWriter(to: MemorySink())
    let notes = (0..<40_000).map {
      #"{"file": "\#($0)", "bytes": \#($0 % 7 == 0 ? 2 : 1), "text": "\#(String(repeating: "x", count: 60))"}"#
    }
    let document = #"{"v": 1, "notes": [\#(notes.joined(separator: ",\n"))]}"#
    try writer.addCompressed("notes.json", from: MemorySource(document.utf8), size: nil)
    try writer.addCompressed("index.json", from: MemorySource(#"{"count": 40000}"#.utf8), size: nil)
    for index in 0..<20_000 {
      try writer.addStored("files/\(index)", size: 1, checksum: CRC32(of: [65]), from: MemorySource([65]))
    }
    try writer.finish()
    let format = try BackupFormat(descriptor: Self.descriptor)
    var reports: [ValidationReport] = []
    for jobs in [1, 2, 7] {
      reports.append(try SampleBackup.report(writer.sink.bytes, .format(format), jobs: jobs))
      reports[reports.count - 1].seconds = 0
    }
    #expect(reports[0] == reports[1])
    #expect(reports[0] == reports[2])
    #expect(reports[0].counts.byCode == ["lost": 20_000, "bytes": 2858])
  }
}
