import BackupFormats
import JSONEvents
import Rules

/// Facts about a document that was read, except its entries.
struct DocumentFacts {
  /// By node: the number of records.
  var counts: [Int]
  /// By node: its position in the order of closing; `nil` if the document lacks it.
  var closings: [Int?]
  /// The nodes that are arrays in the document.
  var arrays: Set<Int>
  /// Spelled as in the document.
  var version: String?
  var createdAt: Instant?
  var bytes = 0
}
