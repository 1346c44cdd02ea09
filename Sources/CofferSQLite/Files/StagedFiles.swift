import ByteStreams
import Coffer
import SystemPackage

/// A set of files that is complete and synced to the disk, but that no database names yet. It is removed with this object unless
/// committed.
package final class StagedFiles {
  /// The set that the database must name from now on, or `nil` if it has no files.
  package let name: String?
  /// The changes to the files.
  package let changes: DatabaseImportReport.FileChanges
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
  package func commit() { isNew = false }

  /// Removes the set if it is new, because the database won't name it.
  package func discard() {
    guard isNew, let name else { return }
    isNew = false
    Leftovers.removeTree(sets.folder.appending(name))
    sets.removeFolderIfEmpty()
  }
}
