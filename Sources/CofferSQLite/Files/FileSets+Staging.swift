package import ByteStreams
package import Coffer

/// What becomes of the files that a database has, when those of a backup come.
package enum FileCombination {
  /// They go: the backup's are all that count.
  case replacing
  /// They stay beside the backup's. For each name that both have, the closure says whose file bears it; those of the backup are proved whoever's does.
  case merging((_ name: String) throws -> Winner)

  /// One of two files of a name.
  package enum Winner: Sendable {
    /// The database's.
    case existing
    /// The backup's.
    case imported
  }
}

extension FileSets {
  /// Makes a new set of all that an archive holds beside its document, and of the files that the database has.
  ///
  /// The set is whole and on the disk when this returns, and has its name; it counts once the database names it. If nothing would be another than it
  /// is (an import that is repeated), there is no new set, and the result has the current one's name.
  ///
  /// For example:
  ///
  ///     let staged = try sets.stage(archive, .merging { _ in .imported }, current: store.fileSet)
  ///     // in a transaction: rows, and staged.name
  ///     staged.commit()
  ///     sets.removeUnreferenced(keeping: staged.name.map { [$0] } ?? [])
  ///
  /// Documents beside the archive's own are kept as files, for an export needs what they say (``ArchiveExport``); names are those below the folder
  /// that all of some backups stand in. Folders without files, and what macOS puts into archives, aren't kept.
  ///
  /// Cost: one pass over the archive's entries but the document, one over the files that have the names of those, and a sync of the file system.
  /// Memory: as `ZIPReader`, and each file's name.
  ///
  /// - Parameters:
  ///   - archive: what is wrong with any of its entries is refused; its limits hold.
  ///   - current: the set that the database names, if it names one. A replacing import doesn't mind if that is damaged.
  ///   - cancellation: ends it early, with a `CancellationError`.
  /// - Throws: `FileSetError`; `ZIPError` for what is wrong with the archive; `ByteStreamError` for what can't be read or written. Then there is no new set.
  package func stage(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> StagedFiles {
    try cancellation.watch {
      let files = try files(of: current, for: combination)
      return try FileStaging(archive, in: self, cancellation).run(
        combination, set: files == nil ? nil : current, files: files ?? [])
    }
  }

  /// What ``stage(_:_:current:cancellation:)`` would make of the files; nothing is written.
  ///
  /// Cost: that of staging, but for writing.
  /// - Throws: as that, as far as it concerns what is read.
  package func preview(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> StagedFiles.Summary {
    try cancellation.watch {
      let files = try files(of: current, for: combination)
      return try FileStaging(archive, in: self, cancellation).preview(combination, files: files ?? [])
    }
  }

  /// What is replaced may be damaged: then, as without any set, there is none.
  private func files(of current: String?, for combination: FileCombination) throws -> [FileTree.File]? {
    guard let current else { return nil }
    if case .replacing = combination { return try? files(of: current) }
    return try files(of: current)
  }
}
