package import ByteStreams
package import Coffer

/// How to combine a database's files with those of a backup.
package enum FileCombination {
  /// Replace them: only the backup's files are kept.
  case replacing
  /// Keep both. For each name that both have, the closure decides whose file is kept. The backup's files are always verified.
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
  /// Creates a new set from all files of an archive but its document, and from the database's files.
  ///
  /// When this returns, the set is complete, named and synced to the disk. It takes effect when the database names it. If nothing
  /// would change (a repeated import), no new set is created, and the result has the current one's name.
  ///
  /// For example:
  ///
  ///     let staged = try sets.stage(archive, .merging { _ in .imported }, current: store.fileSet)
  ///     // in a transaction: rows, and staged.name
  ///     staged.commit()
  ///     sets.removeUnreferenced(keeping: staged.name.map { [$0] } ?? [])
  ///
  /// Other documents of the archive are kept as files, because an export needs their content (``ArchiveExport``). Names are
  /// relative to the folder that contains all entries in some backups. Empty folders, and files that macOS adds to archives,
  /// aren't kept.
  ///
  /// Cost: one pass over the archive's entries except the document, one over the existing files of the same names, and a sync of
  /// the file system. Memory: that of `ZIPReader`, and each file's name.
  ///
  /// - Parameters:
  ///   - archive: a fault in any of its entries is an error; its limits apply.
  ///   - current: the set that the database names, if any. It may be damaged if the import replaces it.
  ///   - cancellation: cancels the work, which then throws a `CancellationError`.
  /// - Throws: `FileSetError`; `ZIPError` for a fault in the archive; `ByteStreamError` if reading or writing fails. There is no
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

  /// Returns what ``stage(_:_:current:cancellation:)`` would do, without writing anything.
  ///
  /// Cost: that of staging, without writing.
  /// - Throws: the same errors, as far as they concern reading.
  package func preview(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> StagedFiles.Summary {
    try cancellation.watch {
      let files = try files(of: current, for: combination)
      return try FileStaging(archive, in: self, cancellation).preview(combination, files: files ?? [])
    }
  }

  /// Returns the current files; `nil` if there is no set, or if it is damaged and will be replaced.
  private func files(of current: String?, for combination: FileCombination) throws -> [FileTree.File]? {
    guard let current else { return nil }
    if case .replacing = combination { return try? files(of: current) }
    return try files(of: current)
  }
}
