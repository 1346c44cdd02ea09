/// What came of a merge.
public struct MergeReport: Sendable, Hashable {
  /// The collections of the format, in its order; those that were left out are not among them.
  public package(set) var collections: [MergedCollection] = []
  /// The members around the collections: metadata, settings, those that no rule knows.
  public package(set) var spine = MergedCollection(pointer: "", title: "document")
  /// The titles of the collections of which records were chosen by the backups' dates of creation, for want of a date of their own.
  public package(set) var chosenByCreation: [String] = []

  package init() {}
}

/// What became of the records of one collection.
public struct MergedCollection: Sendable, Hashable {
  /// A JSON Pointer; empty, of the spine and of a collection that is the root.
  public let pointer: String
  public let title: String
  /// Those that only the other backup has.
  public package(set) var inserted = 0
  /// Those that are not the same in both, and are now as the other backup has them.
  public package(set) var replaced = 0
  /// Those that are not the same in both, and stay as the existing backup has them.
  public package(set) var kept = 0
  /// Those that are the same in both.
  public package(set) var same = 0
  /// Those that only the existing backup has.
  public package(set) var untouched = 0

  /// How many there are now.
  public var count: Int { inserted + replaced + kept + same + untouched }

  package init(pointer: String, title: String) {
    self.pointer = pointer
    self.title = title
  }
}
