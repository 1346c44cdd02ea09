public import ByteStreams
import Coffer
import GRDB
import GRDBSQLite
import Platform
import SystemPackage

extension CofferError.Code {
  /// The database holds no backup.
  public static let noBackup = Self(rawValue: "no-backup")
  /// The file is damaged, or isn't a database.
  public static let damagedDatabase = Self(rawValue: "damaged-database")
  /// The written data differs from the intended data.
  public static let verification = Self(rawValue: "verification")
  /// The commit failed with an I/O error, and its outcome is unknown: the database has all changes or none.
  public static let uncertain = Self(rawValue: "uncertain")
  /// The database names a missing set of files.
  public static let filesMissing = Self(rawValue: "files-missing")
  /// A set of files contains something other than files, its name is invalid, or another program changed it.
  public static let filesDamaged = Self(rawValue: "files-damaged")
}

extension CofferError {
  /// Translates an error of SQLite into a message that a user can act on.
  ///
  /// - Parameters:
  ///   - name: the database's name in the message.
  ///   - systemError: the error of the last system call on the database's file, if known. SQLite reports a full disk as an I/O
  ///     error if it learns of it late.
  init(_ error: DatabaseError, database name: String, systemError: CInt = 0) {
    let detail = error.message ?? "\(error.resultCode)"
    let (code, text): (Code, String) =
      switch error.resultCode {
      case .SQLITE_FULL: (.noSpace, "the disk is full")
      case .SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError),
        .SQLITE_CANTOPEN where [ENOSPC, EDQUOT].contains(systemError):
        (.noSpace, "the disk is full")
      case .SQLITE_IOERR: (.inputOutput, "read or write failed (\(detail))")
      case .SQLITE_BUSY, .SQLITE_LOCKED: (.locked, "locked by another process")
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: (.permissionDenied, "can't be written: permission denied (\(detail))")
      case .SQLITE_CANTOPEN: (.permissionDenied, "can't be opened (\(detail))")
      case .SQLITE_CORRUPT: (.damagedDatabase, "the database is damaged (\(detail))")
      case .SQLITE_NOTADB: (.damagedDatabase, "not a SQLite database")
      case .SQLITE_CONSTRAINT: (.conflict, "a constraint of the database rejects a row (\(detail))")
      case .SQLITE_TOOBIG: (.unsupportedValue, "a value exceeds SQLite's size limit")
      default: (.inputOutput, detail)
      }
    self.init(code, "\(name): \(text)")
  }

  /// Translates a system error on a database's file.
  init(_ errno: Errno, database name: String) {
    let code: Code =
      switch errno {
      case .noSpace, .diskQuotaExceeded, .fileTooLarge: .noSpace
      case .permissionDenied, .notPermitted, .readOnlyFileSystem: .permissionDenied
      default: .inputOutput
      }
    self.init(code, "\(name): " + (code == .noSpace ? "the disk is full" : errno.description))
  }
}

extension Database {
  /// Runs `body` on this connection, and throws a `CofferError` for each error of SQLite.
  ///
  /// - Parameter name: the database's name in messages.
  func reporting<R>(as name: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as DatabaseError {
      // SQLite doesn't record the system error of a failing commit; it is the last one.
      let last = errno
      let noted = sqliteConnection.map { sqlite3_system_errno($0) } ?? 0
      let systemError = noted == 0 ? last : noted
      throw CofferError(error, database: name, systemError: systemError)
    } catch let error as Errno {
      throw CofferError(error, database: name)
    }
  }
}
