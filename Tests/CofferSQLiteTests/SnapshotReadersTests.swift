import CofferSQLite
import GRDB
import SystemPackage
import TestSupport
import Testing

@Suite struct SnapshotReadersTests {
  private let folder: TemporaryFolder
  private let writer: DatabaseQueue
  private var path: String { folder.path.appending("x.db").string }

  init() throws {
    folder = try TemporaryFolder()
    writer = try DatabaseQueue(path: folder.path.appending("x.db").string)
    try writer.write { try $0.execute(sql: "CREATE TABLE t (x INTEGER)") }
  }

  @Test(arguments: ["delete", "wal"]) func `readers join only if no commit came in between`(mode: String) throws {
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
    let readers = try #require(SnapshotReaders(path, count: 2))
    var version = try readers.version()
    #expect(readers.join(since: version))
    readers.end()
    try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(!readers.join(since: version))
    readers.end()
    version = try readers.version()
    #expect(readers.join(since: version))
    readers.end()
  }

  /// With a rollback journal, a writer can't commit while another connection reads. While it waits, it blocks new readers.
  @Test func `readers don't wait for a writer`() throws {
    let readers = try #require(SnapshotReaders(path, count: 2))
    let version = try readers.version()
    try writer.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN EXCLUSIVE")
      #expect(!readers.join(since: version))
      try database.execute(sql: "ROLLBACK")
    }
    readers.end()
    #expect(SnapshotReaders(folder.path.appending("none.db").string, count: 2) == nil)
  }
}
