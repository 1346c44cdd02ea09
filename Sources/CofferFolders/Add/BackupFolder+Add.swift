public import BackupFormats
public import ByteStreams
import Failpoints
import SystemPackage

extension BackupFolder {
  /// The result of adding a backup.
  public enum Addition: Sendable {
    /// The backup was written, and examined like one of a listing.
    case written(ListedBackup)
    /// No backup was written, because the newest valid one is recent enough. Another one is due in the given number of seconds.
    case notDue(ListedBackup, dueIn: Int)
  }

  /// Writes another backup of a format to the folder if one is due. Never replaces an existing file.
  ///
  /// The backup gets the format's file name, or else the format's name followed by the time. The second of two backups of one
  /// second gets `-2` before its ending. The file appears completely or not at all. The folder is created if it doesn't exist,
  /// with its parents; it is locked meanwhile.
  ///
  /// Cost: with an `age`, that of ``listing()`` for the backups of this format; then that of `write`; then the new backup is read
  /// once to validate it.
  ///
  /// - Parameters:
  ///   - format: the backup's format.
  ///   - isArchive: true for a ZIP archive, false for a JSON document.
  ///   - isPart: true if the backup has only some of the collections. Its name then ends in `-part`, and it doesn't replace a
  ///     complete backup.
  ///   - names: how the file is called (default: as new backups of the format are).
  ///   - age: the age of the newest valid backup at which another one is due. If `nil`, one is always due.
  ///   - write: writes the backup.
  /// - Throws: `CofferError` with the code `locked` if another process writes to the folder; the errors of `write`;
  ///   `CancellationError`. There is no new file, unless the error occurs when the written file is synced or examined.
  public func add(
    _ format: BackupFormat, isArchive: Bool, isPart: Bool = false, named names: BackupFileName? = nil,
    ifOlderThan age: BackupAge? = nil,
    _ write: (inout AtomicFile) throws -> Void
  ) throws -> Addition {
    try folder.makeFolders(permissions: FilePermissions(rawValue: 0o777))
    let lock = try FolderLock(writingTo: folder)
    let backups = BackupFolder(folder, formats: FormatCatalog([format]), options: options)
    if let age {
      let listing = try backups.listing(ofOpen: lock.descriptor)
      let seconds = listing.secondsUntilDue(after: age, of: format.name, at: options.now)
      if seconds > 0, let newest = listing.newestValid(of: format.name, at: options.now) {
        return .notDue(newest, dueIn: seconds)
      }
    }
    let name = try freeName(for: format, named: names ?? format.fileName, isArchive: isArchive, isPart: isPart, in: lock)
    var file = try AtomicFile(folder.appending(name), existing: .keep)
    try write(&file)
    do { try Failpoint.reach(.beforeBackupCommit) } catch { throw CofferError(error, verb: "write", name: name) }
    try file.commit()
    do { try Failpoint.reach(.afterBackupCommit) } catch {
      throw CofferError(error, verb: "examine", name: "\(name), which is in place")
    }
    let examination = Examination(of: folder, lock.descriptor, backups.formats, options)
    options.execution.progress?.begin("checking \(name)", byteCount: examination.size(ofBackup: name))
    guard case .backup(let backup, _, _) = try examination.examine(name) else {
      throw CofferError(.inputOutput, "\(name) is in place, but it isn't recognised as a backup")
    }
    return .written(backup)
  }

  /// Returns a free name for a backup made now.
  private func freeName(
    for format: BackupFormat, named names: BackupFileName?, isArchive: Bool, isPart: Bool, in lock: FolderLock
  ) throws(CofferError) -> String {
    guard let time = options.clock.time(at: options.now) else {
      throw CofferError(.inputOutput, "the time \(options.now) can't be used in a file name")
    }
    let ending = isArchive ? ".zip" : ".json"
    let parts = [time.month, time.day, time.hour, time.minute, time.second].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let usual = "\(Self.namePrefix(of: format))\(time.year)-\(parts[0])-\(parts[1])_\(parts[2...].joined(separator: "-"))"
    for number in 1...9999 {
      let addition = (isPart ? BackupFileName.partMark : "") + (number > 1 ? "-\(number)" : "")
      var name = names?.name(at: time, number: number, isPart: isPart) ?? usual + addition + ending
      // The format's file name may have the other ending: a backup without files of an archive format is a JSON document.
      if !name.hasSuffix(ending) { name = String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) + ending }
      if FileIdentity(name, in: lock.descriptor) == nil { return name }
    }
    throw CofferError(.alreadyExists, "\(folder) has too many backups with the same time")
  }

  /// Returns the start of the names of backups, for a format that doesn't say how they are called.
  static func namePrefix(of format: BackupFormat) -> String {
    String(format.name.map { $0 == "/" || $0 == "\0" ? "-" : $0 }) + "_backup_"
  }
}
