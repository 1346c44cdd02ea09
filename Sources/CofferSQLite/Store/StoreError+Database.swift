package import GRDB
import GRDBSQLite
import Platform
package import SystemPackage

extension StoreError {
  /// Translates an error of SQLite into a message that a user can act on.
  ///
  /// - Parameters:
  ///   - name: the database's name in the message.
  ///   - systemError: the error of the last system call on the database's file, if known. SQLite reports a full disk as an I/O
  ///     error if it learns of it late.
  package init(_ error: DatabaseError, database name: String, systemError: CInt = 0) {
    let detail = error.message ?? "\(error.resultCode)"
    let (code, text): (Code, String) =
      switch error.resultCode {
      case .SQLITE_FULL: (.diskFull, "the disk is full")
      case .SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError),
        .SQLITE_CANTOPEN where [ENOSPC, EDQUOT].contains(systemError):
        (.diskFull, "the disk is full")
      case .SQLITE_IOERR: (.inputOutput, "read or write failed (\(detail))")
      case .SQLITE_BUSY, .SQLITE_LOCKED: (.locked, "locked by another process")
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: (.permissionDenied, "can't be written: permission denied (\(detail))")
      case .SQLITE_CANTOPEN: (.permissionDenied, "can't be opened (\(detail))")
      case .SQLITE_CORRUPT: (.damaged, "the database is damaged (\(detail))")
      case .SQLITE_NOTADB: (.damaged, "not an SQLite database")
      case .SQLITE_CONSTRAINT: (.conflict, "a constraint of the database rejects a row (\(detail))")
      case .SQLITE_TOOBIG: (.unsupportedValue, "a value exceeds SQLite's size limit")
      default: (.inputOutput, detail)
      }
    self.init(code: code, message: "\(name): \(text)")
  }
}

extension Database {
  /// Runs `body` on this connection, and throws a `StoreError` for each error of SQLite.
  ///
  /// - Parameter name: the database's name in messages.
  package func reporting<R>(as name: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as DatabaseError {
      // SQLite doesn't record the system error of a failing commit; it is the last one.
      let last = errno
      let noted = sqliteConnection.map { sqlite3_system_errno($0) } ?? 0
      let systemError = noted == 0 ? last : noted
      throw StoreError(error, database: name, systemError: systemError)
    } catch let error as Errno {
      throw StoreError(error, database: name)
    }
  }
}

extension StoreError {
  /// Translates a system error on a database's file.
  package init(_ errno: Errno, database name: String) {
    let code: Code =
      switch errno {
      case .noSpace, .diskQuotaExceeded, .fileTooLarge: .diskFull
      case .permissionDenied, .notPermitted, .readOnlyFileSystem: .permissionDenied
      default: .inputOutput
      }
    self.init(code: code, message: "\(name): " + (code == .diskFull ? "the disk is full" : errno.description))
  }
}
