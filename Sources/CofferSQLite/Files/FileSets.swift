package import ByteStreams
package import Coffer
import Platform
package import SystemPackage

/// The files that belong to a database, such as photos: whole sets of them, of which the database names the one that counts.
///
///     backup.db                                        names its set in the transaction that changes its rows
///     backup.db.files/3f9c5a7700e1b2d4/photos/a.jpg    that set: what a ZIP held beside its document, by the names that it had there
///     backup.db.files/71b0…                            one that no commit has named: of a run that was killed, or the one before
///     backup.db.files/.coffer-4711-0.tmp/              one that isn't whole; locked as long as the process that fills it lives
///
/// A set never changes once it has its name, so rows and files change together: whatever interrupts an import, the database names the old set or
/// the new one, and that is whole. Files that two sets have in common are one file with several names (hard links) where the file system can do
/// that: whoever wants another content for a name must replace the file, not write into it.
///
/// What nobody names any more goes with ``removeUnreferenced(keeping:)``. Whoever makes sets, or removes them, holds the database's lock.
package struct FileSets: Sendable {
  /// Where the sets stand; there is no such folder while there is no set.
  package let folder: FilePath
  private let database: FilePath

  /// - Parameter path: of the database, which need not be there yet; of a link, what it leads to counts.
  package init(ofDatabase path: FilePath) {
    database = AtomicFile.resolved(path)
    folder = FilePath(database.string + ".files")
  }

  /// A set's folder.
  ///
  /// - Throws: `FileSetError` if there is none.
  package func folder(of set: String) throws(FileSetError) -> FilePath {
    guard Self.isName(set) else { throw FileSetError(.damaged, "'\(set.printable)' is no name of a set of files") }
    let path = folder.appending(set)
    var information = stat()
    guard lstat(path.string, &information) == 0 else {
      throw FileSetError(.missing, "the database's files are missing: there is no folder \(path)")
    }
    guard information.st_mode & S_IFMT == S_IFDIR else { throw FileSetError(.damaged, "\(path) is no folder of files") }
    return path
  }

  /// The files of a set, by their names below its folder.
  ///
  /// - Throws: `FileSetError`, `ByteStreamError`.
  package func files(of set: String) throws -> [FileTree.File] {
    let folder = try folder(of: set)
    do { return try FileTree(folder).files } catch let error as PackError { throw FileSetError(.damaged, error.message) }
  }

  // MARK: Copies

  /// Gives another database the same set, by the same name: a safety copy, say. One that it has already stays.
  ///
  /// Cost: a link for each file; where the file system has none, a copy.
  /// - Throws: `FileSetError`; `ByteStreamError` for what can't be written, and then the other has no such set.
  package func copy(_ set: String, to other: FileSets, cancellation: Cancellation? = nil) throws {
    let files = try files(of: set)
    if (try? other.folder(of: set)) != nil { return }
    // What fails leaves nothing, the folder around the set not either.
    defer { other.removeFolderIfEmpty() }
    let copy = try other.makeSet(set)
    for file in files {
      try cancellation.check()
      try copy.addFile(file.name, as: file.path, cancellation: cancellation)
    }
    try copy.commit()
  }

  // MARK: Removal

  /// Removes all sets but some, and what killed runs have left. Nothing else in the folder is touched.
  ///
  /// What can't be removed is left to the next.
  /// - Parameter sets: what some database still names.
  package func removeUnreferenced(keeping sets: Set<String>) {
    guard let listed = FolderNames(folder) else { return }
    for name in listed.names where Self.isName(name) && !sets.contains(name) {
      Leftovers.removeTree(folder.appending(name))
    }
    Leftovers.remove(in: folder)
    removeFolderIfEmpty()
  }

  /// Removes all sets: of a database that is gone. The database goes first, so that none names a set that isn't there.
  package func removeAll() { removeUnreferenced(keeping: []) }

  /// Whether there is any set, whoever names it.
  package var hasSets: Bool { FolderNames(folder)?.names.contains(where: Self.isName) ?? false }

  func removeFolderIfEmpty() { rmdir(folder.string) }

  // MARK: Names

  /// One that no set has, nor has had.
  static func newName() -> String {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Whether a name is one that sets have: what a database says may have been written by anybody, and other folders are none of ours.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 16 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The folder of a set that is to be filled; the folder around it is made if need be.
  func makeSet(_ name: String) throws(ByteStreamError) -> UnfinishedFolder {
    if mkdir(folder.string, permissions) == 0 {
      let around = folder.removingLastComponent()
      try DatabaseFile.sync(around.isEmpty ? "." : around)
    } else if errno != EEXIST {
      throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: folder.string)
    }
    return try UnfinishedFolder(folder.appending(name))
  }

  /// Whoever may not read the database is not to see the files.
  private var permissions: mode_t {
    var information = stat()
    guard stat(database.string, &information) == 0 else { return 0o777 }
    let mode = information.st_mode & 0o777
    return mode | (mode & 0o444) >> 2 | 0o700
  }
}
