/// The result of a merge.
public struct MergeReport: Sendable, Hashable {
  /// The format's collections, in its order, without excluded ones.
  public package(set) var collections: [MergedCollection] = []
  /// The envelope: metadata, settings and unknown members outside of the collections.
  public package(set) var envelope = MergedCollection(pointer: "", title: "document")
  /// The titles of collections whose records have no date, so that the backups' creation times decided.
  public package(set) var chosenByCreation: [String] = []
  /// The pointers of members with arrays of records that have no key: the rule decided each as a whole. At most 100.
  public package(set) var decidedWhole: [String] = []
  package static let decidedWholeLimit = 100

  package init() {}
}

/// The result of a merge for one collection.
public struct MergedCollection: Sendable, Hashable {
  /// A JSON Pointer; empty for the envelope and for a root collection.
  public let pointer: String
  public let title: String
  /// Records that only the other backup has.
  public package(set) var inserted = 0
  /// Differing records, taken from the other backup.
  public package(set) var replaced = 0
  /// Differing records, kept from the existing backup.
  public package(set) var kept = 0
  /// Records that are equal in both.
  public package(set) var same = 0
  /// Records that only the existing backup has.
  public package(set) var onlyInFirst = 0

  /// The number of records after the merge.
  public var count: Int { inserted + replaced + kept + same + onlyInFirst }

  package init(pointer: String, title: String) {
    self.pointer = pointer
    self.title = title
  }
}
