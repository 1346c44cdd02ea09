/// The scalars of a place as keys of records, or references to them.
struct KeyColumn: Sendable {
  // In the current document.
  var sketch = ValueSketch()
  private(set) var count = 0
  /// True if a value can't be a key: too long, or a fraction.
  private(set) var hasOthers = false

  // In all documents that have ended.
  private(set) var documents = 0
  /// The documents in which all values may be distinct.
  private(set) var uniqueDocuments = 0
  private(set) var largestDistinctCount = 0
  /// False if the number of distinct values in a document is an estimate, because there are too many to keep.
  private(set) var isCountExact = true
  private(set) var distinctSum = 0

  /// The share of distinct values from which an estimate may mean that all are.
  private static let estimateShare = 0.85

  var mayBeUnique: Bool {
    guard count > 0, !hasOthers else { return false }
    return sketch.isWhole ? sketch.distinctCount == count : Double(sketch.distinctCount) >= Self.estimateShare * Double(count)
  }

  /// - Parameter hash: that of a value, or `nil` for a value that can't be a key.
  /// - Returns: true if this is the first value in the document.
  @inline(__always)
  mutating func take(_ hash: UInt64?) -> Bool {
    if hasOthers { return false }
    guard let hash else {
      giveUp()
      return false
    }
    count += 1
    sketch.insert(hash)
    return count == 1
  }

  /// Treats all values as no keys.
  mutating func giveUp() {
    hasOthers = true
    sketch = ValueSketch()
  }

  /// A column without values that needs only hashes which this one would keep.
  var blank: KeyColumn {
    var blank = KeyColumn()
    blank.hasOthers = hasOthers
    blank.sketch = ValueSketch(threshold: sketch.threshold)
    return blank
  }

  /// Adds the current document to the others.
  mutating func endDocument() {
    guard count > 0 else { return }
    documents += 1
    if mayBeUnique { uniqueDocuments += 1 }
    let distinct = min(count, sketch.distinctCount)
    largestDistinctCount = max(largestDistinctCount, distinct)
    distinctSum += distinct
    if !sketch.isWhole { isCountExact = false }
    sketch = ValueSketch()
    count = 0
  }

  /// Adds further values of the current document.
  mutating func merge(_ other: KeyColumn) {
    if hasOthers || other.hasOthers { return giveUp() }
    sketch.merge(other.sketch)
    count += other.count
  }
}
