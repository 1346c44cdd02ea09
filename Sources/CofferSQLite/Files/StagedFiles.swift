import ByteStreams
import Coffer
import SystemPackage

/// A set of files that is whole and on the disk, but named by no database yet: it goes with this object unless it is committed.
package final class StagedFiles {
  /// What the database is to name from now on; `nil`: it has no files.
  package let name: String?
  /// What became of the files.
  package let summary: Summary
  private let sets: FileSets
  /// Whether the set is new, and nobody's unless it is committed.
  private var isNew: Bool

  /// How many files there are.
  package struct Summary: Sendable, Hashable {
    /// By names that there were none of.
    package var added = 0
    /// By names that there were others of.
    package var replaced = 0
    /// As they were.
    package var kept = 0
    /// Of those that there were, the ones that the set no longer has.
    package var removed = 0

    package init() {}
  }

  init(_ name: String?, in sets: FileSets, isNew: Bool, _ summary: Summary) {
    self.name = name
    self.sets = sets
    self.isNew = isNew
    self.summary = summary
  }

  deinit { discard() }

  /// The database names the set: it stays.
  package func commit() { isNew = false }

  /// The database won't name the set: if it is new, it is removed.
  package func discard() {
    guard isNew, let name else { return }
    isNew = false
    Leftovers.removeTree(sets.folder.appending(name))
    sets.removeFolderIfEmpty()
  }
}
