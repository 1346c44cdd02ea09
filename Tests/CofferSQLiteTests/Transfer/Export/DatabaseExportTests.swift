import ByteStreams
import Coffer
import CofferSQLite
import GRDB
import Pipelines
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// An export has the same bytes with any number of threads. It shows one state of the database while another connection writes.
@Suite(.timeLimit(.minutes(5))) struct DatabaseExportTests {
  private let folder: TemporaryFolder
  private let catalog: FormatCatalog
  private var path: FilePath { folder.path.appending("x.db") }

  private static let count = 7000

  init() throws {
    folder = try TemporaryFolder()
    let format = try BackupFormat(
      descriptor: """
        {"backup": {"name": "points", "detect": "/points", "collections": {"/points": {"key": "id"}}}, "type": "object", "properties": {
          "points": {"type": "array", "primaryKey": "id", "items": {"type": "object", "properties": {
            "id": {"type": "integer"}, "n": {"type": "integer"}, "text": {"type": "string"}}}},
          "few": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "integer"}}}}}}
        """)
    catalog = FormatCatalog([format])
    // Some records are larger than a piece.
    let points = (0..<Self.count).map { id in
      #"{"id":\#(id),"n":100,"text":"\#(String(repeating: "ä", count: id % 1000 == 7 ? 300_000 : id % 50))"}"#
    }
    let text = #"{"before":1,"points":[\#(points.joined(separator: ","))],"few":[{"x":1}],"after":2}"#
    _ = try BackupStore(try DatabaseQueue(path: path.string), catalog: catalog).importBackup(
      { MemorySource(Array(text.utf8)) }, named: "test", rules: .format(format),
      options: DatabaseImportOptions(validation: ValidationOptions(now: Instant(seconds: 0))))
  }

  private func change(_ sql: String) throws {
    try DatabaseQueue(path: path.string).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  private func export(jobs: Int) throws -> [UInt8] {
    var options = DatabaseExportOptions()
    options.execution.jobs = jobs
    var sink = MemorySink()
    let report = try DatabaseExporter(catalog, options: options, now: Instant(seconds: 0))
      .export(path, to: &sink)
    #expect(report.collections.map(\.count) == [Self.count, 1])
    return sink.bytes
  }

  @Test(arguments: ["", "UPDATE points SET rowid = (rowid - 3000) * 1000000007", "PRAGMA journal_mode = WAL"])
  func `an export has the same bytes with any number of threads`(change sql: String) throws {
    if !sql.isEmpty { try change(sql) }
    let expected = try export(jobs: 1)
    #expect(expected.count > 4_000_000)
    for jobs in [2, 3, 8] { #expect(try export(jobs: jobs) == expected) }
  }

  /// A writer moves amounts between records: their sum is always the same.
  @Test(arguments: ["delete", "wal"]) func `an export has one state of the database while a writer commits`(mode: String) throws {
    try change("PRAGMA journal_mode = \(mode); UPDATE points SET text = ''")
    let isDone = Mutex(false)
    let path = path.string
    let writer = SideWork {
      var configuration = Configuration()
      configuration.busyMode = .timeout(60)
      // Commits are so frequent that some fall between the starts of two connections.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      var commits = 0
      while !isDone.withLock({ $0 }) {
        try queue.write {
          try $0.execute(sql: "UPDATE points SET n = n - 1 WHERE id = ?", arguments: [commits * 7919 % Self.count])
          try $0.execute(sql: "UPDATE points SET n = n + 1 WHERE id = ?", arguments: [(commits * 7919 + 3500) % Self.count])
        }
        commits += 1
      }
      return commits
    }
    var documents: Set<[UInt8]> = []
    let exports = Result { for _ in 0..<12 { documents.insert(try export(jobs: 3)) } }
    isDone.withLock { $0 = true }
    #expect(try writer.result().get() > 0)
    try exports.get()
    #expect(documents.count > 1)
    for document in documents {
      let amounts = String(decoding: document, as: UTF8.self).matches(of: /"n":(-?[0-9]+)/).compactMap { Int($0.1) }
      #expect(amounts.count == Self.count)
      #expect(amounts.reduce(0, +) == 100 * Self.count)
    }
  }

  @Test(arguments: [
    ("UPDATE points SET coffer_extra = '[' WHERE id = 5000", "record 5000 of points"),
    ("UPDATE points SET text = CAST(x'ff' AS TEXT) WHERE id = 6999", "not UTF-8, at or before "),
  ])
  func `a damaged row ends the export with its place`(sql: String, message: String) throws {
    try change(sql)
    for jobs in [1, 3] {
      #expect { try export(jobs: jobs) } throws: { ($0 as? CofferError)?.message.contains(message) == true }
    }
  }

  @Test func `all threads end when the sink fails`() throws {
    struct Sink: ByteSink {
      mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
        throw CofferError(.noSpace, "full")
      }
    }
    var options = DatabaseExportOptions()
    options.execution.jobs = 3
    var sink = Sink()
    let exporter = DatabaseExporter(catalog, options: options, now: Instant(seconds: 0))
    #expect(throws: CofferError.self) { try exporter.export(path, to: &sink) }
    // No connection reads any more.
    try change("PRAGMA journal_mode = WAL; PRAGMA journal_mode = DELETE; UPDATE points SET n = 0")
  }
}
