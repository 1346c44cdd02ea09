import ByteStreams
import Findings
import SystemPackage

extension BackupFolder {
  /// Examines backups to delete. The folder stays locked until the run is carried out or dropped.
  ///
  /// Cost: reads the named backups, and unless `force` is true, other backups, the last names first, until there is a valid one
  /// of each format of the valid ones to delete.
  ///
  /// - Parameters:
  ///   - names: the names of files in the folder.
  ///   - force: true to delete the last valid backup of a format, too, and to ignore names that don't exist.
  /// - Throws: `CofferError` with the code `locked` if another process writes to the folder, or if the folder can't be read;
  ///   `CancellationError`.
  public func deleting(_ names: [String], force: Bool = false) throws -> DeletionRun {
    let lock = try FolderLock(writingTo: folder)
    let examination = Examination(of: folder, lock.descriptor, formats, options)
    var backups: [ListedBackup] = []
    var refusals: [DeletionRun.Refusal] = []
    var known: Set<String> = []
    for name in names where known.insert(name).inserted {
      switch try examination.examine(name) {
      case .backup(let backup, _, _): backups.append(backup)
      case .other(let kind), .lost(let kind, _, _): refusals.append(.notABackup(name, kind))
      // With `force`, a missing file counts as deleted.
      case nil: if !force { refusals.append(.notFound(name)) }
      }
    }
    if !force {
      let remaining = try formatsLeft(in: Set(backups.filter(\.isValid).map(\.format)), without: known, examination)
      for backup in backups where backup.isValid && !remaining.contains(backup.format) {
        refusals.append(.lastValid(backup))
      }
    }
    return DeletionRun(backupFolder: self, lock: lock, backups: backups, refusals: refusals)
  }

  /// Returns those formats that have a valid backup among the other files of the folder.
  private func formatsLeft(
    in formats: Set<String>, without names: Set<String>, _ examination: Examination
  ) throws -> Set<String> {
    var found: Set<String> = []
    if formats.isEmpty { return found }
    guard let listed = FolderNames(folder.isEmpty ? "." : folder) else {
      throw CofferError(.inputOutput, "cannot read \(folder)")
    }
    // Names have dates, so the last ones are the newest.
    for name in listed.names.sorted(by: >) where !names.contains(name) && !Leftovers.isName(name) {
      if found == formats { break }
      guard case .backup(let backup, _, _) = try examination.examine(name), backup.isValid, formats.contains(backup.format),
        !backup.created.instant.isAhead(of: options.now)
      else { continue }
      found.insert(backup.format)
    }
    return found
  }
}

/// Backups of a locked folder, to be shown and then deleted.
public struct DeletionRun: Sendable {
  /// A file that must not be deleted.
  public struct Refusal: Sendable, Hashable {
    public let name: String
    /// The reason's code, stable for programs.
    public let code: String
    /// The reason, a phrase for users that follows the file's path.
    public let words: String

    static func notFound(_ name: String) -> Self { Self(name: name, code: "not-found", words: "doesn't exist") }

    static func notABackup(_ name: String, _ kind: FolderListing.Other.Kind) -> Self {
      let words =
        switch kind {
        case .folder: "is a folder"
        case .link: "is a symbolic link"
        case .otherFormat: "is a backup of another format"
        default: "is not a backup of a known format"
        }
      return Self(name: name, code: "not-a-backup", words: words)
    }

    /// No other backup of its format in its folder is valid.
    static func lastValid(_ backup: ListedBackup) -> Self {
      Self(
        name: backup.name, code: "last-valid",
        words: "is kept, because no valid backup of '\(backup.format)' would remain")
    }
  }

  let backupFolder: BackupFolder
  let lock: FolderLock
  /// The named backups, in the order of their names in the call.
  public let backups: [ListedBackup]
  /// The files that must not be deleted. If there is one, ``carryOut()`` deletes nothing.
  public let refusals: [Refusal]

  /// The folder's path as given.
  public var folder: String { backupFolder.folder.string }

  /// Deletes the backups, oldest first, and syncs the folder.
  ///
  /// A file that has changed since it was examined, or that can't be removed, is kept, and the run continues.
  public func carryOut() -> RemovalOutcome {
    refusals.isEmpty ? backupFolder.remove(backups, under: lock) : RemovalOutcome()
  }
}
