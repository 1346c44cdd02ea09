package import ByteStreams
package import Coffer

/// How to combine a database's files with those of a backup.
package enum FileCombination {
  /// Replaces the database's files with the backup's.
  case replacing
  /// Adds the backup's files to the database's. For each name that both have, the closure chooses the file. The backup's files
  /// are verified in any case.
  case merging((_ name: String) throws -> Winner)

  /// One of two files with the same name.
  package enum Winner: Sendable {
    /// The database's.
    case existing
    /// The backup's.
    case imported
  }
}

extension FileSets {
  /// Makes a new set from an archive's files (all entries but the document) and the database's files.
  ///
  /// When this returns, the set is complete, synced to the disk, and has its name. It takes effect once the database names it. If
  /// no file would change (a repeated import), there is no new set, and the result has the current set's name.
  ///
  /// For example:
  ///
  ///     let staged = try sets.stage(archive, .merging { _ in .imported }, current: store.fileSet)
  ///     // in a transaction: rows, and staged.name
  ///     staged.commit()
  ///     sets.removeUnreferenced(keeping: staged.name.map { [$0] } ?? [])
  ///
  /// Documents other than the archive's own are kept as files, because an export needs their contents (``ArchiveExport``). If a
  /// backup has all its entries in one folder, file names are relative to it. Folders without files, and the entries that macOS
  /// adds to archives, aren't kept.
  ///
  /// Cost: one pass over the archive's entries except the document, one over the existing files with the same names, and a sync
  /// of the file system. Memory: that of `ZIPReader`, and each file's name.
  ///
  /// - Parameters:
  ///   - archive: the archive. A fault in any of its entries is an error; its limits apply.
  ///   - current: the set that the database names, if any. Replacing ignores a damaged one.
  ///   - cancellation: cancels the work, which then throws a `CancellationError`.
  /// - Throws: `CofferError`, including for faults of the archive, and if reading or writing fails. There is no
  ///   new set in that case.
  package func stage(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> StagedFiles {
    try cancellation.watch {
      let files = try files(of: current, for: combination)
      return try FileStaging(archive, in: self, cancellation).run(
        combination, set: files == nil ? nil : current, files: files ?? [])
    }
  }

  /// Returns what ``stage(_:_:current:cancellation:)`` would do, without writing.
  ///
  /// Cost: that of staging, without the writing.
  /// - Throws: the errors of staging, except those of writing.
  package func preview(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> DatabaseImportReport.FileChanges {
    try cancellation.watch {
      let files = try files(of: current, for: combination)
      return try FileStaging(archive, in: self, cancellation).preview(combination, files: files ?? [])
    }
  }

  /// Returns the current files, or `nil` if there is no set, or a damaged one is replaced.
  private func files(of current: String?, for combination: FileCombination) throws -> [FileTree.File]? {
    guard let current else { return nil }
    if case .replacing = combination { return try? files(of: current) }
    return try files(of: current)
  }
}
