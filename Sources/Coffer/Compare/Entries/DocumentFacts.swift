import BackupFormats
import JSONEvents
import Rules

/// Facts about a document that was read, except its entries.
struct DocumentFacts {
  /// The number of records of each node.
  var counts: [Int]
  /// The position of each node in the order of closing, or `nil` if the document doesn't have the node.
  var closings: [Int?]
  /// The nodes that are arrays in this document.
  var arrays: Set<Int>
  /// Spelled as in the document.
  var version: String?
  var createdAt: Instant?
  var bytes = 0
}
