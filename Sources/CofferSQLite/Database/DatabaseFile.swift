import ByteStreams
import GRDB
import GRDBSQLite
import Platform
import SystemPackage

/// Operations on a database's files that SQLite doesn't perform itself.
enum DatabaseFile {
  /// Removes a closed database with its journal, log and shared memory. Missing files are ignored.
  ///
  /// - Returns: true if any of the files existed.
  @discardableResult
  static func remove(_ path: FilePath) throws(CofferError) -> Bool {
    var wasThere = false
    for suffix in ["-journal", "-wal", "-shm", ""] {
      if unlink(path.string + suffix) == 0 {
        wasThere = true
      } else if errno != ENOENT {
        throw CofferError(Errno(rawValue: errno), verb: "remove", name: path.string + suffix)
      }
    }
    return wasThere
  }

  /// Creates an empty file for SQLite to open. If SQLite itself can't create a file, it doesn't report the reason.
  ///
  /// - Parameter model: a file whose permissions and group are copied, because the new file will hold the same data.
  static func create(_ path: FilePath, like model: FilePath? = nil) throws(CofferError) {
    let model = model.flatMap { try? $0.stat() }
    let descriptor = open(path.string, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, model != nil ? 0o600 : 0o644)
    if descriptor < 0 { throw CofferError(Errno(rawValue: errno), verb: "create", name: path.string) }
    defer { close(descriptor) }
    guard let model else { return }
    let (user, group) = (model.userID.rawValue, model.groupID.rawValue)
    // Only root may change the owner. If the group can't be kept, it gets no permissions.
    let keepsGroup = fchown(descriptor, user, group) == 0 || fchown(descriptor, uid_t.max, group) == 0
    // Users who can read the model can read the new file; until then, only its owner can.
    _ = fchmod(descriptor, model.permissions.rawValue & (keepsGroup ? 0o666 : 0o606))
  }

  /// Creates the missing `-wal` and `-shm` files of a database with a write-ahead log. See `create(_:like:)` for the reason.
  static func createLog(of path: FilePath) throws(CofferError) {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw CofferError(Errno(rawValue: errno), verb: "open", name: path.string) }
    defer { close(descriptor) }
    var version: UInt8 = 0
    guard pread(descriptor, &version, 1, 18) == 1, version == 2 else { return }
    for suffix in ["-wal", "-shm"] { try create(suffix, beside: path) }
  }

  /// Creates an empty file next to a database, with the database's permissions. Keeps an existing file.
  ///
  /// - Returns: true if the file is new.
  @discardableResult
  static func create(_ suffix: String, beside path: FilePath) throws(CofferError) -> Bool {
    let name = path.string + suffix
    let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      if errno == EEXIST { return false }
      throw CofferError(Errno(rawValue: errno), verb: "create", name: name)
    }
    defer { close(descriptor) }
    if let database = try? path.stat() {
      fchown(descriptor, database.userID.rawValue, database.groupID.rawValue)
      fchmod(descriptor, database.permissions.rawValue & 0o666)
    }
    return true
  }

  /// Switches off write-ahead logging in the header of a database that is closed and has no log.
  ///
  /// Bytes 18 and 19 are the file format versions (https://www.sqlite.org/fileformat.html): 2 with a write-ahead log, 1 without.
  static func endWriteAheadLog(_ path: FilePath) throws(CofferError) {
    let descriptor = open(path.string, O_WRONLY | O_CLOEXEC)
    if descriptor < 0 { throw CofferError(Errno(rawValue: errno), verb: "open", name: path.string) }
    defer { close(descriptor) }
    let written = pwrite(descriptor, [1, 1] as [UInt8], 2, 18)
    if written != 2 { throw CofferError(written < 0 ? Errno(rawValue: errno) : .noSpace, verb: "write", name: path.string) }
  }

  /// Gives a finished file its final name, if that is free. Without hard links, the file is renamed: this is atomic, too, but would
  /// replace a file created at this moment.
  ///
  /// - Returns: false if the name is taken.
  static func place(_ finished: FilePath, as path: FilePath) throws(CofferError) -> Bool {
    if link(finished.string, path.string) == 0 { return true }
    var error = Errno(rawValue: errno)
    if error == .fileExists { return false }
    if [.notPermitted, .notSupported].contains(error), access(path.string, F_OK) != 0 {
      if rename(finished.string, path.string) == 0 { return true }
      error = Errno(rawValue: errno)
    }
    throw CofferError(error, verb: "write", name: path.string)
  }

  /// Writes a file's content or a folder's names to the disk.
  static func sync(_ path: FilePath) throws(CofferError) {
    do { try path.sync() } catch { throw CofferError(error, verb: "sync", name: path.string) }
  }
}

extension DatabaseQueue {
  /// Opens a database file. While another process locks it, waits up to ten seconds, or until a cancellation is requested.
  ///
  /// - Parameters:
  ///   - pragmas: SQL that configures the connection.
  ///   - name: the database's name in the messages of the errors of `pragmas`.
  ///   - keepsTransactions: true if a transaction may stay open between calls. By default, GRDB treats that as a programming error
  ///     and ends the process.
  convenience init(
    _ path: FilePath, isReadOnly: Bool = false, pragmas: String = "", named name: String? = nil, keepsTransactions: Bool = false,
    _ cancellation: Cancellation? = nil
  ) throws {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.foreignKeysEnabled = false
    configuration.allowsUnsafeTransactions = keepsTransactions
    configuration.busyMode = .callback { tries in
      usleep(10_000)
      return tries < 1000 && cancellation?.isRequested != true
    }
    configuration.prepareDatabase { database in
      try database.reporting(as: name ?? path.string) { try database.execute(sql: pragmas) }
    }
    try self.init(path: path.string, configuration: configuration)
  }
}

extension Database {
  /// Runs `body`, whose statements are interrupted when a cancellation is requested.
  func interrupted<R>(by cancellation: Cancellation?, _ body: () throws -> R) rethrows -> R {
    guard let cancellation, let connection = sqliteConnection else { return try body() }
    // Every 20 000 steps of SQLite's virtual machine: a fraction of a millisecond.
    sqlite3_progress_handler(
      connection, 20_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isRequested ? 1 : 0
      }, Unmanaged.passUnretained(cancellation).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    return try withExtendedLifetime(cancellation) { try body() }
  }

  /// - Throws: `CofferError` with the code `damaged-database`.
  func checkIntegrity() throws {
    let text = try String.fetchOne(self, sql: "PRAGMA main.quick_check(1)")
    if text != "ok" { throw CofferError(.damagedDatabase, "the database is damaged: \(text ?? "no answer")") }
  }
}
