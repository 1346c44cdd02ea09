import ByteStreams
import Coffer
import Failpoints
import Platform
import SystemPackage

/// The file of a database that is imported into, and what lies beside it meanwhile.
///
///     backup.db                                          the database
///     backup.db-wal, -shm, -journal                      SQLite's own
///     backup.db.files/                                   the files that belong to its rows
///     backup.db.before-import-20261122T101500Z.sqlite    safety copies
///     .backup.db.coffer-import, .backup.db.coffer-safety what isn't finished; a killed run's goes with the next one
struct DatabaseTarget {
  /// Of a link, what it leads to.
  let path: FilePath
  let folder: FilePath
  let exists: Bool

  /// - Parameter isWritten: the database will be changed or made; a preview only reads it.
  /// - Throws: `StoreError` if that is no place for a database.
  init(_ path: FilePath, isWritten: Bool = true) throws(StoreError) {
    self.path = AtomicFile.resolved(path)
    let parent = self.path.removingLastComponent()
    folder = parent.isEmpty ? "." : parent
    guard self.path.lastComponent != nil, path.string != "-" else {
      throw StoreError(code: .inputOutput, message: "'\(path)' is no name of a database's file")
    }
    var information = stat()
    exists = stat(self.path.string, &information) == 0
    if exists, information.st_mode & S_IFMT != S_IFREG {
      throw StoreError(code: .damaged, message: "\(path) is no file, so it can't be a database")
    }
    if exists, access(self.path.string, isWritten ? R_OK | W_OK : R_OK) != 0 {
      throw StoreError(
        code: .permissionDenied, message: "\(path) can't be \(isWritten ? "written" : "read"): permission denied")
    }
    guard stat(folder.string, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
      throw StoreError(code: .inputOutput, message: "there is no folder \(folder) for \(path)")
    }
    // SQLite makes its journal there, and a safety copy comes beside the database.
    if isWritten, access(folder.string, W_OK | X_OK) != 0 {
      throw StoreError(code: .permissionDenied, message: "the folder \(folder) can't be written: permission denied")
    }
    if exists { return }
    for suffix in ["-journal", "-wal"] where stat(self.path.string + suffix, &information) == 0 {
      throw StoreError(
        code: .conflict,
        message: "\(path)\(suffix) is there without its database, and SQLite would take it for a new one's: move it away")
    }
  }

  /// Whether SQLite may write it, and the journal beside it.
  var isWritable: Bool { access(path.string, W_OK) == 0 && access(folder.string, W_OK | X_OK) == 0 }

  var name: String { path.lastComponent?.string ?? "" }
  var stagePath: FilePath { folder.appending(".\(name).coffer-import") }
  var unfinishedCopyPath: FilePath { folder.appending(".\(name).coffer-safety") }

  /// Waits for whoever writes to the folder, for up to a minute.
  ///
  /// - Parameter tell: is called once if there is somebody to wait for.
  /// - Throws: `StoreError` of the code `locked`; `ByteStreamError`, `CancellationError`.
  func lock(cancellation: Cancellation?, tell: () -> Void) throws -> FolderLock {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    var hasTold = false
    while true {
      do throws(ByteStreamError) {
        return try FolderLock(writingTo: folder)
      } catch {
        guard error.code == .locked else { throw error }
        if ContinuousClock.now >= end { throw StoreError(code: .locked, message: error.message) }
      }
      if !hasTold { tell() }
      hasTold = true
      try cancellation.check()
      usleep(50_000)
    }
  }

  /// Gives a finished database its name, which nothing may have. Then it is there, and ``settle(_:)`` is to follow.
  ///
  /// - Throws: `StoreError`, `ByteStreamError`: then it has not got it.
  func place(_ finished: FilePath) throws {
    do { try Failpoint.reach(.beforeRename) } catch { throw ByteStreamError(error, verb: "write", name: path.string) }
    if link(finished.string, path.string) != 0 {
      let error = Errno(rawValue: errno)
      if error == .fileExists {
        throw StoreError(code: .conflict, message: "\(path) has been made by somebody else meanwhile")
      }
      // Some file systems have no links; there the name is given in one step, too, but would take another's.
      guard [.notPermitted, .notSupported].contains(error), access(path.string, F_OK) != 0 else {
        throw ByteStreamError(error, verb: "write", name: path.string)
      }
      if rename(finished.string, path.string) != 0 {
        throw ByteStreamError(Errno(rawValue: errno), verb: "write", name: path.string)
      }
    }
  }

  /// Takes a finished database's first name away, and brings the one that it has got to the disk.
  ///
  /// - Throws: `ByteStreamError`, which says that the database is in place.
  func settle(_ finished: FilePath) throws(ByteStreamError) {
    do {
      try Failpoint.reach(.afterRename)
      unlink(finished.string)
      try syncFolder()
    } catch {
      throw ByteStreamError(error, verb: "sync the folder of", name: "\(path), which is in place")
    }
  }

  func syncFolder() throws(Errno) {
    try Failpoint.reach(.beforeFolderSync)
    let descriptor = open(folder.string, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw Errno(rawValue: errno) }
  }
}
