package import GRDB
import GRDBSQLite
import Platform
package import SystemPackage

extension StoreError {
  /// What SQLite says, in words a user can act on.
  ///
  /// - Parameters:
  ///   - name: how the message calls the database.
  ///   - systemError: what the system's last call on its file said, if that is known: SQLite calls a full disk an I/O error where it is told of it late.
  package init(_ error: DatabaseError, database name: String, systemError: CInt = 0) {
    let detail = error.message ?? "\(error.resultCode)"
    let (code, text): (Code, String) =
      switch error.resultCode {
      case .SQLITE_FULL: (.diskFull, "the disk is full")
      case .SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError),
        .SQLITE_CANTOPEN where [ENOSPC, EDQUOT].contains(systemError):
        (.diskFull, "the disk is full")
      case .SQLITE_IOERR: (.inputOutput, "it can't be read or written (\(detail))")
      case .SQLITE_BUSY, .SQLITE_LOCKED: (.locked, "it is locked by somebody else")
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: (.permissionDenied, "it can't be written: permission denied (\(detail))")
      case .SQLITE_CANTOPEN: (.permissionDenied, "it can't be opened (\(detail))")
      case .SQLITE_CORRUPT: (.damaged, "the database is damaged (\(detail))")
      case .SQLITE_NOTADB: (.damaged, "it is no SQLite database")
      case .SQLITE_CONSTRAINT: (.conflict, "a rule of the database refuses a row (\(detail))")
      case .SQLITE_TOOBIG: (.unsupportedValue, "a value is larger than SQLite takes")
      default: (.inputOutput, detail)
      }
    self.init(code: code, message: "\(name): \(text)")
  }
}

extension Database {
  /// Does some work on this connection; what SQLite says against it is a `StoreError`.
  ///
  /// - Parameter name: how messages call the database.
  package func reporting<R>(as name: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as DatabaseError {
      // Of a failing commit SQLite doesn't note it; it is what the system said last.
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
  /// What the system says of a database's file.
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
