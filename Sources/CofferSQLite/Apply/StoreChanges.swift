public import Coffer

/// The changes that an import makes, or would make, to a database.
public struct StoreChanges: Sendable, Equatable {
  /// The imported collections, in the format's order.
  public package(set) var collections: [CollectionChanges] = []
  /// The number of other root members that are added or replaced.
  public package(set) var changedMembers = 0
  /// The number of other root members that are removed.
  public package(set) var removedMembers = 0
  /// References to collections that are not imported, and of which the database has no records.
  public package(set) var danglingReferences: [DanglingReference] = []

  package init() {}

  /// The titles of the collections in which the backups' creation times decided between different records.
  public var chosenByCreation: [String] { collections.filter(\.isChosenByCreation).map(\.title) }

  /// True if nothing changes.
  public var isEmpty: Bool {
    changedMembers == 0 && removedMembers == 0 && collections.allSatisfy { $0.inserted + $0.replaced + $0.removed == 0 }
  }
}

/// The changes to the rows of one collection.
public struct CollectionChanges: Sendable, Equatable {
  /// A JSON Pointer.
  public let pointer: String
  public let title: String
  /// Records that only the backup has.
  public package(set) var inserted = 0
  /// Rows that differ from the backup's, and are replaced.
  public package(set) var replaced = 0
  /// Rows that differ from the backup's, and are kept.
  public package(set) var kept = 0
  /// Rows that equal the backup's.
  public package(set) var unchanged = 0
  /// Rows that the backup doesn't have, and that are kept.
  public package(set) var onlyInDatabase = 0
  /// Rows that the backup doesn't have, and that are removed.
  public package(set) var removed = 0

  /// True if records without a time of modification differ, so that the backups' creation times decide (`keep-newest`).
  public package(set) var isChosenByCreation = false

  package init(pointer: String, title: String) {
    self.pointer = pointer
    self.title = title
  }

  /// The number of rows after the import.
  public var count: Int { inserted + replaced + kept + unchanged + onlyInDatabase }
}
