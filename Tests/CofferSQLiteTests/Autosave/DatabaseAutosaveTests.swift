import Coffer
import CofferSQLite
import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct DatabaseAutosaveTests {
  private struct Expense: Codable, PersistableRecord, FetchableRecord, Equatable, Sendable {
    static let databaseTableName = "expense"
    var id: Int
    var cost: Int
  }

  private static func database(at path: String) throws -> DatabaseQueue {
    let database = try DatabaseQueue(path: path)
    try database.write { database in
      try database.create(table: "expense", options: .ifNotExists) { table in
        table.primaryKey("id", .integer)
        table.column("cost", .integer).notNull().check { $0 >= 0 }
      }
    }
    return database
  }

  @Test func `records are written and deleted in one transaction`() async throws {
    let folder = try TemporaryFolder()
    let database = try Self.database(at: folder.path.appending("a.db").string)
    let autosave = Autosave<Int, DatabaseChange>(database)
    await autosave.change((0..<100).map { ($0, .save(Expense(id: $0, cost: 1))) })
    try await autosave.saveNow()
    await autosave.change(.save(Expense(id: 1, cost: 2)), for: 1)
    await autosave.change(.delete(Expense(id: 2, cost: 1)), for: 2)
    try await autosave.end()
    let expenses = try await database.read { try Expense.fetchAll($0) }
    #expect(expenses.count == 99)
    #expect(expenses[1] == Expense(id: 1, cost: 2))
  }

  @Test func `a record that can't be saved is named, and all others are saved`() async throws {
    let folder = try TemporaryFolder()
    let database = try Self.database(at: folder.path.appending("a.db").string)
    var options = AutosaveOptions()
    options.retryDelay = .seconds(60)
    let autosave = Autosave<Int, DatabaseChange>(database, options: options)
    await autosave.change((1...4).map { ($0, .save(Expense(id: $0, cost: $0 == 2 ? -1 : 1))) })
    let error = await #expect(throws: UnsavedKeys<Int>.self) { try await autosave.saveNow() }
    #expect(error?.errors.map(\.key) == [2])
    #expect(error?.errors.first?.error is DatabaseError)
    #expect(error?.description.hasPrefix("can't save 2: SQLite error 19: CHECK constraint failed") == true)
    #expect(try await database.read { try Expense.fetchAll($0).map(\.id) } == [1, 3, 4])
    #expect(await autosave.pendingCount == 1)
    await autosave.change(.save(Expense(id: 2, cost: 2)), for: 2)
    try await autosave.end()
    #expect(try await database.read { try Expense.fetchCount($0) } == 4)
  }

  @Test func `a change is written after one that it needs`() async throws {
    let folder = try TemporaryFolder()
    let database = try Self.database(at: folder.path.appending("a.db").string)
    let autosave = Autosave<Int, DatabaseChange>(database)
    let count = DatabaseChange { database in
      struct Missing: Error {}
      guard let expense = try Expense.fetchOne(database, key: 2) else { throw Missing() }
      try Expense(id: 1, cost: expense.cost + 1).save(database)
    }
    await autosave.change([(1, count), (2, .save(Expense(id: 2, cost: 5)))])
    try await autosave.end()
    #expect(try await database.read { try Expense.fetchAll($0).map(\.cost) } == [6, 5])
  }

  @Test func `an error that isn't a record's undoes the whole save`() async throws {
    let folder = try TemporaryFolder()
    let database = try Self.database(at: folder.path.appending("a.db").string)
    let autosave = Autosave<Int, DatabaseChange>(database)
    let full = DatabaseChange { _ in throw DatabaseError(resultCode: .SQLITE_FULL) }
    await autosave.change([(1, .save(Expense(id: 1, cost: 1))), (2, full)])
    await #expect(throws: DatabaseError.self) { try await autosave.saveNow() }
    #expect(try await database.read { try Expense.fetchCount($0) } == 0)
    await autosave.discard(2)
    try await autosave.end()
    #expect(try await database.read { try Expense.fetchCount($0) } == 1)
  }

  @Test(arguments: [1, 500, 1000]) func `a process that is killed during a save leaves the old state`(after count: Int)
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("a.db").string
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
      let autosave = Autosave<Int, DatabaseChange>(try DatabaseAutosaveTests.database(at: path))
      await autosave.change((0..<1000).map { ($0, .save(Expense(id: $0, cost: 1))) })
      try await autosave.saveNow()
      await autosave.change(
        (0..<1000).map { id in
          (
            id,
            DatabaseChange { database in
              try Expense(id: id, cost: 2).save(database)
              if id == count - 1 { kill(getpid(), SIGKILL) }
            }
          )
        })
      try await autosave.saveNow()
    }
    let costs = try await DatabaseQueue(path: path).read { try Int.fetchAll($0, sql: "SELECT cost FROM expense") }
    #expect(costs == Array(repeating: 1, count: 1000))
  }

  @Test(arguments: 0..<12) func `a process that is killed at any time leaves whole saves`(number: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("a.db").string
    _ = try Self.database(at: path)
    // From the opening of the database to some hundred saves.
    let microseconds = number * number * 1500
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, microseconds = microseconds as Int] in
      Thread.detachNewThread {
        usleep(UInt32(microseconds))
        kill(getpid(), SIGKILL)
      }
      let autosave = Autosave<Int, DatabaseChange>(try DatabaseAutosaveTests.database(at: path))
      for cost in 1... {
        await autosave.change((0..<50).map { ($0, .save(Expense(id: $0, cost: cost))) })
        try await autosave.saveNow()
      }
    }
    let costs = try await DatabaseQueue(path: path).read { try Int.fetchAll($0, sql: "SELECT cost FROM expense") }
    #expect(costs.isEmpty || costs == Array(repeating: costs[0], count: 50))
  }
}
