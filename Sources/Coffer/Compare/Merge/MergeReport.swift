import Findings

/// The result of a merge.
public struct MergeReport: Sendable, Hashable {
  /// The name of the format, or `nil` if it is unknown.
  public internal(set) var format: String?
  /// The format's collections, in its order, without excluded ones.
  public internal(set) var collections: [MergedCollection] = []
  /// The envelope: metadata, settings and unknown members outside of the collections.
  public internal(set) var envelope = MergedCollection(pointer: "", title: "document")
  /// The titles of collections whose records have no date, so that the backups' creation times decided.
  public internal(set) var chosenByCreation: [String] = []
  /// The pointers of members with arrays of records that have no key: the rule decided each as a whole. At most 100.
  public internal(set) var decidedWhole: [String] = []
  package static let decidedWholeLimit = 100

}

/// The result of a merge for one collection.
public struct MergedCollection: Sendable, Hashable {
  /// A JSON Pointer; empty for the envelope and for a root collection.
  public let pointer: String
  public let title: String
  /// Records that only the other backup has.
  public internal(set) var inserted = 0
  /// Differing records, taken from the other backup.
  public internal(set) var replaced = 0
  /// Differing records, kept from the existing backup.
  public internal(set) var kept = 0
  /// Records that are equal in both.
  public internal(set) var same = 0
  /// Records that only the existing backup has.
  public internal(set) var onlyInFirst = 0

  /// The number of records after the merge.
  public var count: Int { inserted + replaced + kept + same + onlyInFirst }
}

/// The result in a report:
///
///     {"format": "ev-charging-tracker", "collections": [{"pointer": "/expenses", "title": "expenses", "count": 1203,
///         "inserted": 3, "replaced": 1, "kept": 0, "same": 1197, "onlyInFirst": 2}],
///       "document": {"inserted": 0, "replaced": 1, "kept": 0, "same": 3, "onlyInFirst": 0}, "chosenByCreation": ["settings"],
///       "decidedWhole": ["/tags"]}
///
/// The counts are those of `MergedCollection`; `document` counts the members of the envelope.
extension MergeReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "format": format, "collections": collections, "document": envelope.counts, "chosenByCreation": chosenByCreation,
      "decidedWhole": decidedWhole,
    ])
  }
}

extension MergedCollection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["pointer": pointer, "title": title, "count": count])
    try encoder.encode(counts)
  }

  fileprivate var counts: ReportMembers {
    ["inserted": inserted, "replaced": replaced, "kept": kept, "same": same, "onlyInFirst": onlyInFirst]
  }
}
