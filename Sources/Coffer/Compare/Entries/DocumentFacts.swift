import BackupFormats
import JSONEvents
import Rules

/// Facts about a document that was read, except its entries.
struct DocumentFacts {
  /// For each node: the number of its records.
  var counts: [Int]
  /// For each node: the position in the order of closing; `nil` if the document doesn't have it.
  var closings: [Int?]
  /// The nodes that are arrays in this document.
  var arrays: Set<Int>
  /// Spelled as in the document.
  var version: String?
  var createdAt: Instant?
  var bytes = 0
}
