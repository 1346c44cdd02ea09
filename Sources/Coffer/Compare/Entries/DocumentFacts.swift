import BackupFormats
import JSONEvents
import Rules

/// Facts about a document that was read, except its entries.
struct DocumentFacts {
  /// By node: how many records it has.
  var counts: [Int]
  /// By node: the how-manieth it was to be closed; `nil` of one that isn't there.
  var closings: [Int?]
  /// The nodes that are arrays in it.
  var arrays: Set<Int>
  /// As the document spells it.
  var version: String?
  var createdAt: Instant?
  var bytes = 0
}
