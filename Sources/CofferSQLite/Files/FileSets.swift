import ByteStreams
import Coffer
import Platform
import SystemPackage

/// The files that belong to a database, such as photos. They are stored in sets; the database names the current set.
///
///     backup.db                                        names its set in the transaction that changes its rows
///     backup.db.files/3f9c5a7700e1b2d4/photos/a.jpg    that set: the files of a ZIP, by their names in it
///     backup.db.files/71b0…                            an unreferenced set: the previous one, or that of a killed run
///     backup.db.files/.coffer-4711-0.tmp/              an incomplete set, locked while the process that fills it lives
///
/// A set never changes once it has its name, so rows and files change together: even if an import is interrupted, the database
/// names either the old set or the new one, and that set is complete. Files that two sets share are hard links if the file system
/// supports them. To change a file, replace it; don't write into it.
///
/// ``removeUnreferenced(keeping:)`` removes the sets that no database names. Callers that make or remove sets must hold the
/// database's lock.
struct FileSets: Sendable {
  /// The folder of the sets. It doesn't exist while there is no set.
  let folder: FilePath
  private let database: FilePath

  /// - Parameter path: the database's path, which need not exist yet. A symbolic link is resolved.
  init(ofDatabase path: FilePath) {
    database = AtomicFile.resolved(path)
    folder = FilePath(database.string + ".files")
  }

  /// Returns a set's folder.
  ///
  /// - Throws: `CofferError` if it doesn't exist.
  func folder(of set: String) throws(CofferError) -> FilePath {
    guard Self.isName(set) else { throw CofferError(.filesDamaged, "'\(set.printable)' isn't the name of a set of files") }
    let path = folder.appending(set)
    guard let type = try? path.stat(followTargetSymlink: false).type else {
      throw CofferError(.filesMissing, "the database's files are missing: there is no folder \(path)")
    }
    guard type == .directory else { throw CofferError(.filesDamaged, "\(path) isn't a folder") }
    return path
  }

  /// Returns the files of a set, with their names relative to its folder.
  func files(of set: String) throws -> [FileTree.File] {
    let folder = try folder(of: set)
    do { return try FileTree(folder).files } catch let error as CofferError where error.code == .notAFile {
      throw CofferError(.filesDamaged, error.message)
    }
  }

  // MARK: Copies

  /// Copies a set to another database, such as a safety copy, under the same name. An existing set of this name stays.
  ///
  /// Cost: a hard link per file; a copy if the file system doesn't support links.
  /// - Throws: `CofferError`, including if writing fails. The other database has no such set in that case.
  func copy(_ set: String, to other: FileSets, cancellation: Cancellation? = nil) throws {
    let files = try files(of: set)
    if (try? other.folder(of: set)) != nil { return }
    // A failed copy leaves nothing, not even the folder of the sets.
    defer { other.removeFolderIfEmpty() }
    let copy = try other.makeSet(set)
    for file in files {
      try cancellation.check()
      try copy.addFile(file.name, as: file.path, cancellation: cancellation)
    }
    try copy.commit()
  }

  // MARK: Removal

  /// Removes all sets but `set`, and the leftovers of killed runs. Nothing else in the folder is touched.
  ///
  /// A set that can't be removed is left to the next call.
  /// - Parameter set: the set that a database still names, if any.
  func removeUnreferenced(keeping set: String?) {
    guard let listed = FolderNames(folder) else { return }
    for name in listed.names where Self.isName(name) && name != set {
      Leftovers.removeTree(folder.appending(name))
    }
    Leftovers.remove(in: folder)
    removeFolderIfEmpty()
  }

  /// Removes all sets of a removed database. Remove the database first, so that none names a missing set.
  func removeAll() { removeUnreferenced(keeping: nil) }

  /// True if there is any set, referenced or not.
  var hasSets: Bool { FolderNames(folder)?.names.contains(where: Self.isName) ?? false }

  func removeFolderIfEmpty() { rmdir(folder.string) }

  // MARK: Names

  /// Returns a name that no set has or had.
  static func newName() -> String {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns true for a valid name of a set. A database's contents aren't trusted, and other folders must not be touched.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 16 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Creates the folder of a new set, and the folder of the sets if it is missing.
  func makeSet(_ name: String) throws(CofferError) -> UnfinishedFolder {
    if mkdir(folder.string, permissions) == 0 {
      try DatabaseFile.sync(folder.removingLastComponent())
    } else if errno != EEXIST {
      throw CofferError(Errno(rawValue: errno), verb: "make", name: folder.string)
    }
    return try UnfinishedFolder(folder.appending(name))
  }

  /// Users who can't read the database can't read the files.
  private var permissions: mode_t {
    guard let mode = try? database.stat().permissions.rawValue & 0o777 else { return 0o777 }
    return mode | (mode & 0o444) >> 2 | 0o700
  }
}

/// How to combine a database's files with those of a backup, whose files are verified in any case.
enum FileCombination: Sendable {
  /// Replaces the database's files with the backup's.
  case replacing
  /// Adds the backup's files to the database's. Of two files with the same name, the database's stays.
  case keepingExisting
  /// Adds the backup's files to the database's. Of two files with the same name, the backup's replaces the other.
  case takingImported
}

extension FileSets {
  /// Makes a new set from an archive's files (all entries but the document) and the database's files.
  ///
  /// When this returns, the set is complete, synced to the disk, and has its name. It takes effect once the database names it. If
  /// no file would change (a repeated import), there is no new set, and the result has the current set's name.
  ///
  /// For example:
  ///
  ///     let staged = try sets.stage(archive, .takingImported, current: store.fileSet)
  ///     // in a transaction: rows, and staged.name
  ///     staged.commit()
  ///     sets.removeUnreferenced(keeping: staged.name)
  ///
  /// Documents other than the archive's own are kept as files, because an export needs their contents (`DatabaseExporter`). If a
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
  func stage(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> StagedFiles {
    try cancellation.watch {
      // A failed run leaves nothing.
      defer { removeFolderIfEmpty() }
      return try staging(archive, combination, current, cancellation).finish()
    }
  }

  /// Returns what ``stage(_:_:current:cancellation:)`` would do, without writing.
  ///
  /// Cost: that of staging, without the writing.
  /// - Throws: the errors of staging, except those of writing.
  func preview(
    _ archive: BackupArchive, _ combination: FileCombination, current: String?, cancellation: Cancellation? = nil
  ) throws -> DatabaseImportReport.FileChanges {
    try cancellation.watch { try staging(archive, combination, current, cancellation, isPreview: true).changes }
  }

  /// Reads the archive's files, and writes those that differ from the current set's.
  func staging(
    _ archive: BackupArchive, _ combination: FileCombination, _ current: String?, _ cancellation: Cancellation?,
    isPreview: Bool = false
  ) throws -> FileStaging {
    var existing: [FileTree.File]?
    if let current {
      // A damaged set is replaced.
      existing = combination == .replacing ? try? files(of: current) : try files(of: current)
    }
    let staging = FileStaging(
      archive, in: self, over: existing == nil ? nil : current, existing ?? [], isPreview: isPreview, cancellation)
    try staging.gather(combination)
    return staging
  }
}

/// A set of files that is complete and synced to the disk, but that no database names yet. It is removed with this object unless
/// committed.
final class StagedFiles {
  /// The set that the database must name from now on, or `nil` if it has no files.
  let name: String?
  /// The changes to the files.
  let changes: DatabaseImportReport.FileChanges
  private let sets: FileSets
  /// True if the set is new and not yet committed.
  private var isNew: Bool

  init(_ name: String?, in sets: FileSets, isNew: Bool, _ changes: DatabaseImportReport.FileChanges) {
    self.name = name
    self.sets = sets
    self.isNew = isNew
    self.changes = changes
  }

  deinit { discard() }

  /// Keeps the set, which the database now names.
  func commit() { isNew = false }

  /// Removes the set if it is new, because the database won't name it.
  func discard() {
    guard isNew, let name else { return }
    isNew = false
    Leftovers.removeTree(sets.folder.appending(name))
    sets.removeFolderIfEmpty()
  }
}
