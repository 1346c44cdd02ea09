/// What an import does, or would do, to the rows of a database.
public struct StoreChanges: Sendable, Equatable {
  /// The format's collections, in its order; those that are left out are not among them.
  public package(set) var collections: [CollectionChanges] = []
  /// The root's other members that are added or take the place of what was there.
  public package(set) var changedMembers = 0
  /// The root's other members that go.
  public package(set) var removedMembers = 0

  package init() {}

  /// Whether anything would be another than before.
  public var isEmpty: Bool {
    changedMembers == 0 && removedMembers == 0 && collections.allSatisfy { $0.inserted + $0.replaced + $0.removed == 0 }
  }
}

/// What becomes of the rows of one collection.
public struct CollectionChanges: Sendable, Equatable {
  /// A JSON Pointer.
  public let pointer: String
  public let title: String
  /// Records that only the backup has.
  public package(set) var inserted = 0
  /// Rows that are not as the backup has them, and become so.
  public package(set) var replaced = 0
  /// Rows that are not as the backup has them, and stay.
  public package(set) var kept = 0
  /// Rows that are as the backup has them.
  public package(set) var unchanged = 0
  /// Rows that the backup doesn't have, and that stay.
  public package(set) var untouched = 0
  /// Rows that the backup doesn't have, and that go.
  public package(set) var removed = 0

  package init(pointer: String, title: String) {
    self.pointer = pointer
    self.title = title
  }

  /// How many there are afterwards.
  public var count: Int { inserted + replaced + kept + unchanged + untouched }
}
