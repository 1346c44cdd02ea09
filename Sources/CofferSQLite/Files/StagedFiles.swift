import ByteStreams
import Coffer
import SystemPackage

/// A complete, synced set of files that no database names yet. It is removed with this object, unless it is committed.
package final class StagedFiles {
  /// The set for the database to name; `nil`: no files.
  package let name: String?
  /// The numbers of added, replaced, kept and removed files.
  package let summary: Summary
  private let sets: FileSets
  /// True if the set is new and not yet committed.
  private var isNew: Bool

  /// Numbers of files.
  package struct Summary: Sendable, Hashable {
    /// Files with new names.
    package var added = 0
    /// Files with new content.
    package var replaced = 0
    /// Unchanged files.
    package var kept = 0
    /// Files that the set no longer has.
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

  /// Keeps the set, after the database names it.
  package func commit() { isNew = false }

  /// Removes the set if it is new and not committed.
  package func discard() {
    guard isNew, let name else { return }
    isNew = false
    Leftovers.removeTree(sets.folder.appending(name))
    sets.removeFolderIfEmpty()
  }
}
