import ByteStreams
import Foundation
import Reports
import Rules
import TestSupport
import Testing

@testable import Coffer

/// The pages of inspections, differences and scores. `make test-web` opens the recorded ones in a browser.
@Suite struct PageTests {
  private func text(of sample: PageSample) throws -> String {
    var sink = MemorySink()
    try sample.write(to: &sink)
    return try #require(String(validating: sink.bytes, as: UTF8.self))
  }

  @Test(arguments: PageSample.allCases) func `pages are as recorded`(sample: PageSample) throws {
    let text = try text(of: sample)
    #expect(try text == Recording.of(text, in: "Reports/\(sample.rawValue).html"))
  }

  @Test(arguments: [PageSample.hostileInspection, .hostileDifference, .hostileScore])
  func `texts of a document stay texts`(sample: PageSample) throws {
    let page = try text(of: sample)
    for text in ["<script", "<img", "</style></title>", "href=\"http", "src=\"", "\u{1B}", "\u{202E}", "\u{2066}", "\u{0}"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.contains(#"\u{1B}[31mred\u{202E} a\u{0}b"#))
    #expect(page.components(separatedBy: "</style>").count == 2)
    #expect(page.components(separatedBy: "href=\"").dropFirst().allSatisfy { $0.hasPrefix("#") })
  }

  /// All texts of documents are isolated, so that the direction of one doesn't reorder its surroundings.
  @Test(arguments: [PageSample.hostileInspection, .hostileDifference, .hostileScore])
  func `texts of a document are isolated`(sample: PageSample) throws {
    let page = try text(of: sample)
    var isIsolated = false
    var isCode = false
    for tag in page.matches(of: /<(\/?)(bdi|code)>|&lt;\/style&gt;/) {
      switch tag.2 {
      case "bdi": isIsolated = tag.1?.isEmpty == true
      case "code": isCode = tag.1?.isEmpty == true
      // The codes of errors and warnings are Coffer's own.
      default: #expect(isIsolated || isCode, "\(page[tag.range.lowerBound...].prefix(80))")
      }
    }
  }

  @Test func `the headline says whether the backups can be imported`() throws {
    func headline(_ inspections: [Inspection]) throws -> Substring {
      var sink = MemorySink()
      try HTMLReport(toolVersion: "1").write(inspections, to: &sink)
      let page = String(decoding: sink.bytes, as: UTF8.self)
      return try #require(page.firstMatch(of: /<title>(.*) – Coffer<\/title>/)?.1)
    }
    var newer = PageSample.importable
    newer.importability = .newer
    let missing = Inspection(file: "a")
    #expect(try headline([]) == "No backups were inspected")
    #expect(try headline([PageSample.importable]) == "The backup can be imported")
    #expect(try headline([newer]) == "The backup can’t be imported")
    #expect(try headline([missing]) == "The backup could not be read completely")
    #expect(try headline([PageSample.importable, PageSample.importable]) == "All 2 backups can be imported")
    #expect(try headline([newer, missing, missing]) == "1 of 3 backups can’t be imported, 2 could not be read completely")
    #expect(try headline([PageSample.importable, missing]) == "1 of 2 backups could not be read completely")
  }

  @Test(arguments: [(1, 0, 0, 1_000_000), (1_000_000, 1, 1, 0), (1, 1, 1, 0), (0, 0, 7, 0), (3, 1_000_000, 1, 2)])
  func `the parts of a bar are visible and fit into it`(changed: Int, removed: Int, added: Int, same: Int) throws {
    var part = CollectionDifference(pointer: "/a", title: "a", key: [])
    (part.changed, part.removed, part.added, part.same) = (changed, removed, added, same)
    let none = CollectionDifference(pointer: "", title: "document", key: [])
    let document = BackupDifference.Document(name: "a", bytes: 1, version: nil)
    var sink = MemorySink()
    try HTMLReport(toolVersion: "1").write(
      BackupDifference(old: document, new: document, format: nil, collections: [part], envelope: none), to: &sink)
    let page = String(decoding: sink.bytes, as: UTF8.self)
    let bars = page.matches(of: /<rect class="(\w+)" x="(\d+)" width="(\d+)"/).map { (Int($0.2) ?? -1, Int($0.3) ?? -1) }
    #expect(bars.count == [changed, removed, added].count { $0 > 0 })
    #expect(bars.allSatisfy { $0.1 >= 4 } && bars.reduce(0) { $0 + $1.1 } <= 200)
    #expect(zip(bars, bars.dropFirst()).allSatisfy { $0.0 + $0.1 == $1.0 })
  }

  @Test func `a page lists 10,000 of many changes, and is written in small pieces`() throws {
    var records = CollectionDifference(pointer: "/a", title: "a", key: ["id"])
    (records.changed, records.added) = (30_000, 30_000)
    let place = RecordChange.Place(pointer: "/a/1", offset: 1)
    let field = FieldChange(pointer: "/b", old: "1", new: String(repeating: "\u{202E}", count: 200))
    records.changes =
      (0..<30_000).map {
        RecordChange(kind: .changed, old: place, new: place, key: "\($0)", fields: [field], fieldsNotShown: 0)
      } + [RecordChange(kind: .added, old: nil, new: place, key: "x", fields: [], fieldsNotShown: 0)]
    let document = BackupDifference.Document(name: "a", bytes: 1, version: nil)
    let none = CollectionDifference(pointer: "", title: "document", key: [])
    var sink = LargestPiece()
    try HTMLReport(toolVersion: "1").write(
      BackupDifference(old: document, new: document, format: nil, collections: [records], envelope: none), to: &sink)
    #expect(sink.size < 128 << 10)
    #expect(sink.rows == 10_000)
  }

  /// Remembers the size of the largest piece, and the number of changed records.
  private struct LargestPiece: ByteSink {
    var size = 0
    var rows = 0

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
      size = max(size, bytes.count)
      rows += String(decoding: bytes, as: UTF8.self).components(separatedBy: "scope=\"rowgroup\"").count - 1
    }
  }
}
