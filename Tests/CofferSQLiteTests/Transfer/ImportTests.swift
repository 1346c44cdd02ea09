import ByteStreams
import Coffer
import CofferSQLite
import Foundation
import GRDB
import JSONEvents
import Synchronization
import SyntheticBackups
import TestSupport
import Testing

/// Imports of files into database files are atomic.
@Suite struct ImportTests {
  private let folder: TemporaryFolder
  private let catalog: FormatCatalog

  init() throws {
    folder = try TemporaryFolder()
    catalog = .builtIn
    try write(seed: 1, to: "a.json")
    try write(seed: 2, to: "b.json")
  }

  private func write(seed: UInt64, to name: String) throws {
    let format = try SyntheticFormat(try #require(catalog["ev-charging-tracker"]))
    var sink = MemorySink()
    _ = try SyntheticBackup(of: format, options: .init(size: 40_000, seed: seed))
      .write(to: &sink) { _ throws(CofferError) in }
    try folder.write(String(decoding: sink.bytes, as: UTF8.self), to: name)
  }

  private func path(_ name: String) -> FilePath { folder.path.appending(name) }

  private func importer(_ mode: DatabaseImportOptions.Mode, at seconds: Int64 = 0) -> DatabaseImporter {
    var options = DatabaseImportOptions(validation: ValidationOptions(now: Instant(seconds: 1_782_900_000 + seconds)))
    options.mode = mode
    options.conflicts = .replace
    return DatabaseImporter(.detected(catalog), catalog: catalog, options: options)
  }

  private func text(of name: String) throws -> String {
    var sink = MemorySink()
    _ = try DatabaseExporter(catalog, options: DatabaseExportOptions(), now: Instant(seconds: 1_782_900_000))
      .export(path(name), to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test func `an import creates a database and no other file`() throws {
    let report = try importer(.merge).run(path("a.json"), into: path("x.db"))
    #expect(report.isNew && report.safetyCopy == nil)
    #expect(try folder.names == ["a.json", "b.json", "x.db"])
  }

  @Test func `imports and exports count bytes and records`() throws {
    let progress = WorkProgress()
    var validation = ValidationOptions(now: Instant(seconds: 1_782_900_000))
    validation.execution.progress = progress
    let importer = DatabaseImporter(.detected(catalog), catalog: catalog, options: DatabaseImportOptions(validation: validation))
    let report = try importer.run(path("a.json"), into: path("x.db"))
    #expect(progress.snapshot.byteCount == (try folder.text(of: "a.json")).utf8.count)
    #expect(progress.snapshot.fraction == 1)
    #expect(progress.snapshot.records == report.changes.collections.reduce(0) { $0 + $1.inserted })
    #expect(progress.snapshot.message == "checking the rows")
    var options = DatabaseExportOptions()
    options.execution.progress = progress
    var sink = MemorySink()
    let exported = try DatabaseExporter(catalog, options: options, now: validation.now).export(path("x.db"), to: &sink)
    #expect(progress.snapshot.bytesRead == sink.bytes.count)
    #expect(progress.snapshot.records == exported.records)
    #expect(progress.snapshot.recordCount == exported.records)
    #expect(progress.snapshot.byteCount == nil)
    #expect(progress.snapshot.message == nil)
  }

  /// Ascending ids are indexed while their rows are added, others afterwards.
  @Test(
    arguments: [Array(1...3000), Array((1...3000).reversed()), Array(1...2998) + [3000, 2999], [3000] + Array(1...2999)], [1, 2])
  func `a new database has its rows and indexes, whatever the order of the keys`(ids: [Int], jobs: Int) throws {
    let format = try BackupFormat(
      descriptor: """
        {"backup": {"name": "items", "detect": "/items", "collections": {"/items": {"key": "id"}}}, "type": "object",
         "properties": {"items": {"type": "array", "primaryKey": "id", "items": {"properties": {"id": {"type": "integer"}}}}}}
        """)
    try folder.write(#"{"items":[\#(ids.map { #"{"id":\#($0),"note":"\#($0)"}"# }.joined(separator: ","))]}"#, to: "items.json")
    var options = DatabaseImportOptions(validation: ValidationOptions(now: Instant(seconds: 1_782_900_000)))
    options.validation.execution.jobs = jobs
    var slices = Slicer.Options()
    slices.sliceSize = 4096
    options.validation.slices = slices
    _ = try DatabaseImporter(.format(format), catalog: FormatCatalog([format]), options: options)
      .run(path("items.json"), into: path("items.db"))
    let database = try DatabaseQueue(path: path("items.db").string)
    let rows = try database.read { try Int.fetchAll($0, sql: "SELECT id FROM items ORDER BY rowid") }
    let indexed = try database.read { try Int.fetchAll($0, sql: "SELECT id FROM items INDEXED BY items_by_id ORDER BY id") }
    let check = try database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    #expect(rows == ids && indexed == ids.sorted() && check == ["ok"])
  }

  @Test func `a preview refuses a foreign key that the import would refuse`() throws {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    try DatabaseQueue(path: path("x.db").string).write {
      try $0.execute(sql: "ALTER TABLE ideas ADD COLUMN mine INTEGER REFERENCES cars (missing)")
    }
    #expect(throws: CofferError.self) { try importer(.merge).preview(path("b.json"), into: path("x.db")) }
    #expect(throws: CofferError.self) { try importer(.merge).run(path("b.json"), into: path("x.db")) }
  }

  @Test func `an import of some collections refuses references to omitted records`() throws {
    var options = DatabaseImportOptions(validation: ValidationOptions(now: Instant(seconds: 1_782_900_000)))
    options.validation.only = CollectionSelection(["expenses"])
    func expenses() -> DatabaseImporter { DatabaseImporter(.detected(catalog), catalog: catalog, options: options) }
    let refusal = #expect(throws: CofferError.self) { try expenses().run(path("a.json"), into: path("x.db")) }
    #expect(refusal?.code == .conflict)
    #expect(refusal?.message.hasSuffix("refers to a missing row of cars, which is not imported") == true)
    #expect(throws: CofferError.self) { try expenses().preview(path("a.json"), into: path("x.db")) }
    // A database that has the cars has what the expenses refer to.
    _ = try self.importer(.merge).run(path("a.json"), into: path("x.db"))
    #expect(try expenses().run(path("a.json"), into: path("x.db")).changes.danglingReferences == [])
    options.allowsFindings = true
    #expect(
      try expenses().run(path("a.json"), into: path("y.db")).changes.danglingReferences.map(\.description) == [
        "expenses.carId refers to cars, which is left out: these references will dangle"
      ])
  }

  @Test func `the safety copy has the previous content`() throws {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    let before = try text(of: "x.db")
    let report = try importer(.replace).run(path("b.json"), into: path("x.db"))
    let copy = try #require(report.safetyCopy.map { FilePath($0) }?.lastComponent?.string)
    #expect(copy == "x.db.before-import-20260701T100000Z.sqlite")
    #expect(try text(of: copy) == before)
    #expect(try text(of: "x.db") != before)
    // The copy can be imported from, or renamed to replace the database.
    #expect(try folder.names == ["a.json", "b.json", "x.db", copy])
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o666])
  func `a safety copy has the permissions of its database`(mode: Int) throws {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path("x.db").string)
    let copy = try #require(try importer(.replace).run(path("b.json"), into: path("x.db")).safetyCopy)
    for name in [copy, path("x.db").string] {
      #expect(try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int == mode)
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everything")) func `a preview reads a database that can't be written`()
    throws
  {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    let expected = try importer(.replace).preview(path("b.json"), into: path("x.db")).changes
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path("x.db").string)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path.string)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path.string) }
    #expect(try importer(.replace).preview(path("b.json"), into: path("x.db")).changes == expected)
    #expect(try importer(.replace).preview(path("b.json"), into: path("y.db")).isNew)
  }

  @Test func `three safety copies are kept`() throws {
    for number in 0..<6 {
      _ = try importer(.replace, at: Int64(number / 2)).run(
        path(number.isMultiple(of: 2) ? "a.json" : "b.json"), into: path("x.db"))
    }
    let copies = try folder.names.filter { $0.contains("before-import") }
    // The first import creates the database; the last three of the five copies after that stay.
    #expect(
      copies == [
        "x.db.before-import-20260701T100001Z-2.sqlite", "x.db.before-import-20260701T100002Z-2.sqlite",
        "x.db.before-import-20260701T100002Z.sqlite",
      ])
  }

  /// The clock may have been set back.
  @Test func `the newest safety copy stays whatever the dates of the others`() throws {
    for number in [0, 9, 8, 7, 1] as [Int64] {
      let report = try importer(.replace, at: number).run(
        path(number.isMultiple(of: 2) ? "a.json" : "b.json"), into: path("x.db"))
      if let copy = report.safetyCopy { #expect(FileManager.default.fileExists(atPath: copy)) }
    }
    #expect(try folder.names.filter { $0.contains("before-import") }.count == 3)
  }

  @Test func `an import without changes makes no safety copy`() throws {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    let report = try importer(.merge).run(path("a.json"), into: path("x.db"))
    #expect(report.changes.isEmpty && report.safetyCopy == nil)
    #expect(try folder.names == ["a.json", "b.json", "x.db"])
  }

  @Test func `a preview writes nothing`() throws {
    _ = try importer(.replace).preview(path("a.json"), into: path("x.db"))
    #expect(try folder.names == ["a.json", "b.json"])
    _ = try importer(.replace).run(path("a.json"), into: path("x.db"))
    let before = try text(of: "x.db")
    let preview = try importer(.replace).preview(path("b.json"), into: path("x.db"))
    #expect(preview.isPreview && !preview.changes.isEmpty)
    #expect(try text(of: "x.db") == before)
    #expect(try importer(.replace).run(path("b.json"), into: path("x.db")).changes == preview.changes)
  }

  @Test func `a rejected confirmation leaves the database unchanged`() throws {
    struct No: Error {}
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    let before = try text(of: "x.db")
    var asking = importer(.replace)
    asking.confirm = { preview in
      #expect(preview.isPreview && preview.changes.collections.contains { $0.removed + $0.replaced > 0 })
      throw No()
    }
    #expect(throws: No.self) { try asking.run(path("b.json"), into: path("x.db")) }
    #expect(try text(of: "x.db") == before)
    #expect(try folder.names == ["a.json", "b.json", "x.db"])
  }

  /// The result is that of sequential imports in some order.
  @Test func `concurrent imports run one after another`() throws {
    try Race.run(4) { number in
      _ = try importer(.merge, at: Int64(number)).run(path(number.isMultiple(of: 2) ? "a.json" : "b.json"), into: path("x.db"))
    }
    _ = try importer(.merge).run(path("a.json"), into: path("y.db"))
    _ = try importer(.merge).run(path("b.json"), into: path("y.db"))
    let count = try DatabaseQueue(path: path("x.db").string).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM expenses") }
    #expect(
      try DatabaseQueue(path: path("y.db").string).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM expenses") } == count)
  }

  /// Readers during a replacement see the old rows or the new ones, never both.
  @Test(arguments: ["delete", "wal"])
  func `readers see either the old or the new rows`(journal: String) throws {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    try DatabaseQueue(path: path("x.db").string).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA journal_mode = \(journal)")
    }
    var sums: Set<String> = []
    func sum(_ database: DatabaseQueue) throws -> String {
      try database.read {
        try String.fetchOne(
          $0,
          sql:
            "SELECT (SELECT count(*) || ' ' || total(id) || ' ' || total(cost) FROM expenses) || ' ' || (SELECT group_concat(name) FROM cars)"
        )
      } ?? ""
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    let reader = try DatabaseQueue(path: path("x.db").string, configuration: configuration)
    sums.insert(try sum(reader))
    let isOver = Mutex(false)
    let seen = Mutex<Set<String>>([])
    try Race.run(2) { number in
      if number == 0 {
        defer { isOver.withLock { $0 = true } }
        for round in 0..<4 {
          _ = try importer(.replace, at: Int64(round)).run(
            path(round.isMultiple(of: 2) ? "b.json" : "a.json"), into: path("x.db"))
        }
      } else {
        while !isOver.withLock({ $0 }) {
          let value = try sum(reader)
          seen.withLock { _ = $0.insert(value) }
        }
      }
    }
    _ = try importer(.replace, at: 9).run(path("b.json"), into: path("x.db"))
    sums.insert(try sum(reader))
    #expect(sums.count == 2)
    #expect(seen.withLock { $0 }.isSubset(of: sums))
  }

  @Test func `a stale journal without its database refuses the import`() throws {
    try folder.write("stale", to: "x.db-wal")
    #expect { try importer(.merge).run(path("a.json"), into: path("x.db")) } throws: { ($0 as? CofferError)?.code == .conflict }
    #expect(try folder.names == ["a.json", "b.json", "x.db-wal"])
  }

  @Test func `leftovers of killed runs are removed`() throws {
    for name in [".x.db.coffer-import", ".x.db.coffer-import-journal", ".x.db.coffer-safety"] {
      try folder.write("left", to: name)
    }
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    #expect(try folder.names == ["a.json", "b.json", "x.db"])
  }

  @Test func `a cancelled import leaves the database unchanged`() throws {
    _ = try importer(.merge).run(path("a.json"), into: path("x.db"))
    let before = try text(of: "x.db")
    let cancellation = Cancellation()
    var options = DatabaseImportOptions(validation: ValidationOptions(now: Instant(seconds: 1_782_900_000)))
    options.mode = .replace
    options.validation.execution.cancellation = cancellation
    var importer = DatabaseImporter(.detected(catalog), catalog: catalog, options: options)
    importer.confirm = { _ in cancellation.request() }
    #expect(throws: CancellationError.self) { try importer.run(path("b.json"), into: path("x.db")) }
    #expect(try text(of: "x.db") == before)
    #expect(try folder.names == ["a.json", "b.json", "x.db"])
  }
}

/// Runs work on several threads at the same time.
enum Race {
  static func run(_ count: Int, _ body: @escaping (Int) throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    nonisolated(unsafe) let body = body
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        do { try body(number) } catch { failure.withLock { $0 = error } }
        group.leave()
      }
    }
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
