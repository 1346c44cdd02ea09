import JSONEvents

/// The relations between places that may hold in all documents so far: references to keys, and counts of items.
///
///     column ──▶ keys of another collection, by sketches: a no is certain, a yes must be proven
struct Relations: Sendable {
  /// A place in records.
  struct Column: Sendable {
    let place: Int
    /// The objects that are the records.
    let record: Int
    /// The names between the record and the value; `*` for the items of an array.
    let path: [String]
  }

  struct Pair: Hashable, Sendable {
    let column: Int
    /// A column, or a map, whose names are keys.
    let key: Int
  }

  /// A number outside of arrays, and an array outside of arrays.
  struct CountPair: Hashable, Sendable {
    let number: Int
    let array: Int
  }

  /// The documents in which all values of a column may be among those of a key.
  private(set) var inclusions: [Pair: Int] = [:]
  /// The keys that have values of a column, and the number of documents in which these have all of them.
  private(set) var unions: [Int: (keys: Set<Int>, documents: Int)] = [:]
  /// The documents in which a number is that of an array's items, and the distinct numbers.
  private(set) var counts: [CountPair: (documents: Int, numbers: Set<Int>)] = [:]

  private static let columnLimit = 400
  private static let keyLimit = 100
  /// The most names of a field in rules.
  private static let pathLimit = 16

  mutating func endDocument(_ places: ContiguousArray<ValueStatistics>) {
    let columns = Self.columns(of: places)
    let fields = columns.filter { $0.path.count == 1 && $0.path[0] != "*" }.map(\.place)
    let keys = (fields + places.indices.filter { places[$0].isMap }).filter { places[$0].column.mayBeUnique }
      .prefix(Self.keyLimit)
    for column in columns {
      let values = places[column.place].column
      guard values.count > 0, !values.hasOthers else { continue }
      var union: [Int] = []
      var isIncluded = false
      for key in keys where key != column.place {
        let others = places[key].column.sketch
        if values.sketch.mayBeContained(in: others) {
          inclusions[Pair(column: column.place, key: key), default: 0] += 1
          isIncluded = true
          union.append(key)
        } else if places[column.place].texts.minimumLength >= 8, values.sketch.overlaps(others) {
          union.append(key)
        }
      }
      if union.isEmpty { continue }
      var known = unions[column.place] ?? ([], 0)
      known.keys.formUnion(union)
      if isIncluded || Self.isCovered(values.sketch, by: union.map { places[$0].column.sketch }) { known.documents += 1 }
      unions[column.place] = known
    }
    countItems(places)
  }

  private static func isCovered(_ sketch: ValueSketch, by others: [ValueSketch]) -> Bool {
    guard var union = others.first else { return false }
    for other in others.dropFirst() { union.merge(other) }
    return sketch.mayBeContained(in: union)
  }

  /// The scalars in records, in document order, up to a limit.
  static func columns(of places: ContiguousArray<ValueStatistics>) -> [Column] {
    var columns: [Column] = []
    func walk(_ place: Int, _ record: Int, _ path: [String]) {
      if columns.count == columnLimit || path.count > pathLimit { return }
      if places[place].isMap {
        let records = places[place].others
        if records >= 0 { walk(records, records, []) }
        return
      }
      if record >= 0, !path.isEmpty, places[place].column.count > 0 || places[place].column.documents > 0 {
        columns.append(Column(place: place, record: record, path: path))
      }
      // Rules can't name a member `*`.
      for member in places[place].members where member.name.bytes != [UInt8(ascii: "*")] {
        walk(member.place, record, path + [member.string])
      }
      guard places[place].items >= 0 else { return }
      let items = places[place].items
      if places[items].objects > 0 {
        walk(items, items, [])
      } else if record >= 0, !path.contains("*") {
        walk(items, record, path + ["*"])
      }
    }
    walk(0, -1, [])
    return columns
  }

  private mutating func countItems(_ places: ContiguousArray<ValueStatistics>) {
    var numbers: [(Int, Int)] = []
    var arrays: [(Int, Int)] = []
    func walk(_ place: Int, _ depth: Int) {
      if let number = places[place].numbers.lastInteger { numbers.append((place, Int(number))) }
      if let count = places[place].lastItemCount { arrays.append((place, count)) }
      if depth < 4 { for member in places[place].members { walk(member.place, depth + 1) } }
    }
    walk(0, 0)
    for (number, value) in numbers.prefix(64) {
      for (array, count) in arrays.prefix(64) where count == value {
        var known = counts[CountPair(number: number, array: array)] ?? (0, [])
        known.documents += 1
        if known.numbers.count < 16 { known.numbers.insert(count) }
        counts[CountPair(number: number, array: array)] = known
      }
    }
  }
}

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
  mutating func add(_ hash: UInt64?) -> Bool {
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
