import ByteStreams
import Coffer
import Failpoints
import Platform
import SystemPackage

/// The database file that an import changes or creates, and the files next to it.
///
///     backup.db                                          the database
///     backup.db-wal, -shm, -journal                      SQLite's log, shared memory and journal
///     backup.db.files/                                   the files that belong to its rows
///     backup.db.before-import-20261122T101500Z.sqlite    safety copies
///     .backup.db.coffer-import, .backup.db.coffer-safety unfinished files; the next run removes those of a killed run
struct DatabaseTarget {
  /// The database's path, with a symbolic link resolved.
  let path: FilePath
  let folder: FilePath
  let exists: Bool

  /// - Parameter isWritten: true if the database will be changed or created; a preview only reads it.
  /// - Throws: `CofferError` if the path can't be a database's.
  init(_ path: FilePath, isWritten: Bool = true) throws(CofferError) {
    self.path = AtomicFile.resolved(path)
    let parent = self.path.removingLastComponent()
    folder = parent.isEmpty ? "." : parent
    guard self.path.lastComponent != nil, path.string != "-" else {
      throw CofferError(.inputOutput, "'\(path)' can't be the name of a database file")
    }
    let type = try? self.path.stat().type
    exists = type != nil
    if exists, type != .regular {
      throw CofferError(.damagedDatabase, "\(path) isn't a regular file, so it can't be a database")
    }
    if exists, access(self.path.string, isWritten ? R_OK | W_OK : R_OK) != 0 {
      throw CofferError(
        .permissionDenied, "\(path) can't be \(isWritten ? "written" : "read"): permission denied")
    }
    guard (try? folder.stat().type) == .directory else {
      throw CofferError(.inputOutput, "there is no folder \(folder) for \(path)")
    }
    // SQLite's journal and the safety copy are created there.
    if isWritten, access(folder.string, W_OK | X_OK) != 0 {
      throw CofferError(.permissionDenied, "the folder \(folder) can't be written: permission denied")
    }
    if exists { return }
    for suffix in ["-journal", "-wal"] where access(self.path.string + suffix, F_OK) == 0 {
      throw CofferError(
        .conflict,
        "\(path)\(suffix) exists without its database, and SQLite would apply it to the new one: move it away")
    }
  }

  /// True if SQLite may write the database and its journal.
  var isWritable: Bool { access(path.string, W_OK) == 0 && access(folder.string, W_OK | X_OK) == 0 }

  var name: String { path.lastComponent?.string ?? "" }
  var stagePath: FilePath { folder.appending(".\(name).coffer-import") }
  var unfinishedCopyPath: FilePath { folder.appending(".\(name).coffer-safety") }

  /// Locks the folder. Waits up to a minute for another process that writes to it.
  ///
  /// - Parameter onWaiting: called once if the lock is taken.
  /// - Throws: `CofferError` with the code `locked`; `CancellationError`.
  func lock(cancellation: Cancellation?, onWaiting: () -> Void) throws -> FolderLock {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    var isWaiting = false
    while true {
      do throws(CofferError) {
        return try FolderLock(writingTo: folder)
      } catch {
        guard error.code == .locked else { throw error }
        if ContinuousClock.now >= end { throw CofferError(.locked, error.message) }
      }
      if !isWaiting { onWaiting() }
      isWaiting = true
      try cancellation.check()
      usleep(50_000)
    }
  }

  /// Gives a finished database its name, which must be free. Then the database is in place, and ``settle(_:)`` must follow.
  ///
  /// - Throws: `CofferError`. The database isn't in place in that case.
  func place(_ finished: FilePath) throws {
    do { try Failpoint.reach(.beforeRename) } catch { throw CofferError(error, verb: "write", name: path.string) }
    guard try DatabaseFile.place(finished, as: path) else {
      throw CofferError(.conflict, "another process created \(path) in the meantime")
    }
  }

  /// Removes a finished database's temporary name, and syncs its final name to the disk.
  ///
  /// - Throws: `CofferError`, whose message states that the database is in place.
  func settle(_ finished: FilePath) throws(CofferError) {
    do {
      try Failpoint.reach(.afterRename)
      unlink(finished.string)
      try syncFolder()
    } catch {
      throw CofferError(error, verb: "sync the folder of", name: "\(path), which is in place")
    }
  }

  func syncFolder() throws(Errno) {
    try Failpoint.reach(.beforeFolderSync)
    try folder.sync()
  }
}
