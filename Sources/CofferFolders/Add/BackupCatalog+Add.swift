public import BackupFormats
public import ByteStreams
import Failpoints
import SystemPackage

extension BackupCatalog {
  /// What came of wanting another backup.
  public enum Addition: Sendable {
    /// It was written, and looked at as a listing does: whether it is valid is known.
    case written(CatalogedBackup)
    /// There is one that is young enough, the newest valid one.
    case notDue(CatalogedBackup)
  }

  /// Writes another backup of a format into the folder, unless it isn't due; nothing that is there is replaced.
  ///
  /// It is called as the format calls its backups, of two in one second the second with `-2` before its ending; a format that doesn't say gets its own name
  /// with the time behind it. The file appears whole or not at all. The folder is locked meanwhile.
  ///
  /// Cost: with an `age`, as ``listing()`` of the backups of this format; then what `write` costs; then the backup is read once, for one that nobody has
  /// proved valid is none.
  ///
  /// - Parameters:
  ///   - format: of which the backup will be.
  ///   - isArchive: whether it will be a ZIP archive; else it is a JSON document.
  ///   - age: how old the newest valid backup of the format must be; `nil`: of any age.
  ///   - write: writes the backup.
  /// - Throws: `ByteStreamError`: `locked` if somebody else writes to the folder; what `write` throws; `CancellationError`. Then there is no new file.
  public func add(
    _ format: BackupFormat, isArchive: Bool, ifOlderThan age: BackupAge? = nil, _ write: (inout AtomicFile) throws -> Void
  ) throws -> Addition {
    let lock = try FolderLock(writingTo: folder)
    let catalog = BackupCatalog(folder, formats: FormatCatalog([format]), options: options)
    if let age {
      let listing = try catalog.listing(ofOpen: lock.descriptor)
      if !listing.isDue(after: age, of: format.name, at: options.now),
        let newest = listing.newestValid(of: format.name, at: options.now)
      {
        return .notDue(newest)
      }
    }
    let name = try freeName(for: format, isArchive: isArchive, in: lock)
    var file = try AtomicFile(replacing: folder.appending(name), existing: .keep)
    try write(&file)
    do { try Failpoint.reach(.beforeBackupCommit) } catch { throw ByteStreamError(error, verb: "write", name: name) }
    try file.commit()
    do { try Failpoint.reach(.afterBackupCommit) } catch {
      throw ByteStreamError(error, verb: "examine", name: "\(name), which is in place")
    }
    var examination = Examination(of: folder, lock.descriptor, catalog.formats, options)
    guard case .backup(let backup) = try examination.examine(name) else {
      throw ByteStreamError(code: .inputOutput, message: "\(name) is in place, but it isn't recognised as a backup")
    }
    return .written(backup)
  }

  /// What a backup that is made now is called.
  private func freeName(for format: BackupFormat, isArchive: Bool, in lock: FolderLock) throws(ByteStreamError) -> String {
    guard let time = options.clock.time(at: options.now) else {
      throw ByteStreamError(code: .inputOutput, message: "\(options.now) is no time that a file can be named by")
    }
    for number in 1...9999 {
      let name = Self.name(of: format, at: time, number, ending: isArchive ? ".zip" : ".json")
      if FileIdentity(name, in: lock.descriptor) == nil { return name }
    }
    throw ByteStreamError(code: .alreadyExists, message: "\(folder) has too many backups of one time")
  }

  private static func name(of format: BackupFormat, at time: CivilTime, _ number: Int, ending: String) -> String {
    var name: String
    if let own = format.fileName?.name(at: time, number: number) {
      name = own
    } else {
      let parts = [time.month, time.day, time.hour, time.minute, time.second].map { $0 < 10 ? "0\($0)" : "\($0)" }
      let safe = String(format.name.map { $0 == "/" || $0 == "\0" ? "-" : $0 })
      name = "\(safe)_backup_\(time.year)-\(parts[0])-\(parts[1])_\(parts[2...].joined(separator: "-"))"
      name += (number > 1 ? "-\(number)" : "") + ending
    }
    // Of a format whose backups are archives one without files is a document.
    if name.hasSuffix(ending) { return name }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    return String(name[..<dot]) + ending
  }
}
