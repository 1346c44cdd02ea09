import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

/// A snapshot sees changes and damage in a folder.
@Suite struct SnapshotTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try makeDatabase("store.db", rows: 500)
    try makeDatabase("store.db.before-import-20260101T000000Z.sqlite", rows: 400)
  }

  private func makeDatabase(_ name: String, rows: Int, extra: String = "SELECT 1") throws {
    let queue = try DatabaseQueue(path: folder.path.appending(name).string)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE cars (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE trips (id INTEGER PRIMARY KEY, car REFERENCES cars);
          INSERT INTO cars VALUES (1, 'one');
          CREATE INDEX names ON cars (name);
          """)
      for number in 0..<rows {
        try database.execute(
          sql: "INSERT INTO cars (name) VALUES (?)", arguments: ["car \(number) \(String(repeating: "x", count: 40))"])
      }
      try database.execute(sql: extra)
    }
    try queue.close()
  }

  private func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: folder.path.appending("store.db").string, configuration: configuration)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func snapshot() throws -> Snapshot { try Snapshot(of: folder.path) }

  @Test func `snapshots of an unchanged folder are the same`() throws {
    let first = try snapshot()
    #expect(try snapshot().isSame(as: first))
    #expect(first.damage == [])
    #expect(first.safetyCopies.count == 1)
  }

  @Test(arguments: [
    ("UPDATE cars SET name = 'other' WHERE id = 7", "store.db: table cars"),
    ("DELETE FROM cars WHERE id = 7", "store.db: table cars"),
    ("INSERT INTO trips VALUES (1, 1)", "store.db: table trips"),
    ("DROP INDEX names", "store.db: schema"),
    ("PRAGMA user_version = 3", "store.db: schema"),
  ])
  func `a change in a database is a difference`(sql: String, difference: String) throws {
    let before = try snapshot()
    try execute(sql)
    #expect(try snapshot().differences(from: before) == [difference])
    #expect(try !snapshot().isSame(as: before))
  }

  @Test func `a dangling reference is damage`() throws {
    try execute("INSERT INTO trips VALUES (1, 9999)")
    #expect(try snapshot().damage.first?.hasPrefix("store.db: foreign key") == true)
  }

  /// One page has another state, as an interrupted copy leaves it.
  @Test(arguments: ["store.db", "store.db.before-import-20260101T000000Z.sqlite"])
  func `a database with a torn page is damaged`(name: String) throws {
    let url = URL(filePath: folder.path.appending(name).string)
    var bytes = try Data(contentsOf: url)
    bytes.replaceSubrange(8192..<12288, with: Data(repeating: 0, count: 4096))
    try bytes.write(to: url)
    #expect(try snapshot().damage.first?.hasPrefix("\(name): ") == true)
  }

  @Test(arguments: ["store.db", "store.db.before-import-20260101T000000Z.sqlite"])
  func `a truncated database is damaged`(name: String) throws {
    let url = URL(filePath: folder.path.appending(name).string)
    try Data(contentsOf: url).prefix(9000).write(to: url)
    #expect(try snapshot().damage.first?.hasPrefix("\(name): ") == true)
  }

  @Test func `photos belong to the generation that the database names`() throws {
    try makeDatabase("album.db", rows: 1, extra: "CREATE TABLE meta AS SELECT 'a1b2c3d4a1b2c3d4' AS files")
    try folder.write("photo", to: "album.db.files/a1b2c3d4a1b2c3d4/photos/1.jpg")
    try folder.write("old photo", to: "album.db.files/0f0f0f0f0f0f0f0f/photos/1.jpg")
    let before = try snapshot()
    #expect(before.stores["album.db"]?.files.keys.sorted() == ["photos/1.jpg"])
    #expect(before.strays == ["album.db.files"])
    // The leftover may be removed; the photo must not.
    try FileManager.default.removeItem(atPath: folder.path.appending("album.db.files/0f0f0f0f0f0f0f0f").string)
    #expect(try snapshot().isSame(as: before))
    try folder.write("other photo", to: "album.db.files/a1b2c3d4a1b2c3d4/photos/1.jpg")
    #expect(try snapshot().differences(from: before) == ["album.db: photo photos/1.jpg"])
  }

  @Test func `files are compared by their bytes`() throws {
    try folder.write("a", to: "backups/1.json")
    try folder.write("b", to: "backups/2.json")
    try folder.write("unfinished", to: "backups/.3.json")
    let before = try snapshot()
    #expect(before.files.keys.sorted() == ["backups/1.json", "backups/2.json"])
    try FileManager.default.removeItem(atPath: folder.path.appending("backups/1.json").string)
    let between = try snapshot()
    #expect(between.differences(from: before) == ["backups/1.json"])
    try FileManager.default.removeItem(atPath: folder.path.appending("backups/2.json").string)
    #expect(between.isBetween(before, try snapshot(), inOrder: true))
    try folder.write("c", to: "backups/2.json")
    #expect(try !snapshot().isBetween(before, between, inOrder: false))
  }
}
