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
  /// A change that its record refuses, by a constraint for example, is left out: it waits, and its key is named
  /// (``/Coffer/UnsavedKeys``). So is one that depends on such a change.
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
      let errors = try await database.write { try DatabaseChange.write(changes, to: $0, progress) }
      if !errors.isEmpty { throw UnsavedChanges(errors: errors) }
    }
  }
}

extension DatabaseChange {
  /// Writes all changes that can be written. One may need another that comes later, so the refused ones are tried again as long as
  /// any is written.
  ///
  /// - Returns: the errors of the others, by their indices.
  /// - Throws: an error that concerns all changes, such as a full disk.
  fileprivate static func write(
    _ changes: [DatabaseChange], to database: Database, _ progress: (Int) -> Void
  ) throws -> [Int: any Error] {
    var rest = Array(changes.indices)
    var written = 0
    while true {
      var errors: [Int: any Error] = [:]
      for index in rest {
        do {
          try database.inSavepoint {
            try changes[index].write(database)
            return .commit
          }
          written += 1
          progress(written)
        } catch  where concernsRecord(error) {
          errors[index] = error
        }
      }
      if errors.count == rest.count || errors.isEmpty { return errors }
      rest = errors.keys.sorted()
    }
  }

  private static func concernsRecord(_ error: any Error) -> Bool {
    if error is CancellationError { return false }
    guard let error = error as? DatabaseError else { return true }
    return [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_ERROR].contains(error.resultCode.primaryResultCode)
  }
}
