import BackupFormats
import JSONEvents
import Rules

/// What is known of a document that was read, beside its entries.
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
