public import Coffer
public import GRDB

/// A change of one record, for ``Coffer/Autosave``.
public struct DatabaseChange: Sendable {
  let write: @Sendable (Database) throws -> Void

  /// - Parameter write: writes the record. It may be called again if the transaction fails.
  public init(_ write: @escaping @Sendable (Database) throws -> Void) { self.write = write }

  /// Inserts a record, or updates the row with its primary key.
  public static func save(_ record: some PersistableRecord & Sendable) -> DatabaseChange {
    DatabaseChange { try record.save($0) }
  }

  /// Deletes a record, if it is there.
  public static func delete(_ record: some PersistableRecord & Sendable) -> DatabaseChange {
    DatabaseChange { _ = try record.delete($0) }
  }
}

extension Autosave where Change == DatabaseChange {
  /// Creates an autosave that writes all changes in one transaction. If the process dies, the database has all of them or none.
  ///
  /// - Parameters:
  ///   - database: the app's database.
  ///   - options: the pauses.
  ///   - clock: measures them.
  public init(
    _ database: any DatabaseWriter, options: AutosaveOptions = AutosaveOptions(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.init(options: options, clock: clock) { changes, progress in
      try await database.write { database in
        for (index, change) in changes.enumerated() {
          try change.write(database)
          progress(index + 1)
        }
      }
    }
  }
}
