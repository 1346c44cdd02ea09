import ByteStreams
import JSONEvents
import SystemPackage

/// Turns the key operations of a run of slices into rows for the document's `KeyIndex`, with everything decided that the run
/// alone decides.
///
///     log ─▶ sets opened within a slice ─▶ own `KeyIndex` ───▶ duplicates
///            claims and definitions     ─▶ a table per set ──▶ the first of each key · duplicates
///            references                 ─▶ counts per target ─▶ the first N of each target · the others as one row
///
/// This is a combiner as in MapReduce: if its memory is full, it writes the counted rows, forgets what it knows, and goes on. The
/// result then has more rows with the same meaning. So rows can also be combined again.
///
/// The rows are in document order, but for counted rows and duplicates, whose order doesn't matter.
///
/// Memory: the limit, and that of `KeyRows`.
struct KeyCombiner: ~Copyable {
  private let setCount: Int
  private let options: EvaluationOptions
  private let memoryLimit: Int
  /// The numbers of the scoped sets that are open around the slices.
  private let scopeNumbers: [Int]
  /// For each step, whether its findings need all places.
  private let isDetailed: [Bool]

  /// The sets that are opened within a slice.
  private var scoped: KeyIndex
  /// The sets of the document, and then those of `scopeNumbers`.
  private var tables = UniqueArray<KeyTable>()
  private var counted: CountedRows
  private var budget: MemoryBudget
  private var rows: KeyRows
  /// True if the tables don't know the rows, because these come from elsewhere.
  private var isAdopted = false

  /// - Parameters:
  ///   - setCount: the number of the document's sets, without scoped ones.
  ///   - isDetailed: for each step, whether its findings need all places.
  ///   - scopeNumbers: the numbers of the scoped sets that are open around the slices.
  ///   - memoryLimit: in bytes.
  init(
    setCount: Int, isDetailed: [Bool], scopeNumbers: [Int], _ options: EvaluationOptions, memoryLimit: Int
  ) {
    self.setCount = setCount
    self.isDetailed = isDetailed
    self.options = options
    self.memoryLimit = memoryLimit
    self.scopeNumbers = scopeNumbers
    scoped = Self.scopedIndex(options, memoryLimit)
    counted = CountedRows(limit: options.maximumFindings)
    budget = MemoryBudget(bytes: memoryLimit / 2)
    rows = KeyRows(in: options.temporaryFolder)
    reset()
  }

  private static func scopedIndex(_ options: EvaluationOptions, _ memoryLimit: Int) -> KeyIndex {
    KeyIndex(setCount: 0, memoryLimit: memoryLimit / 2, key: options.key, spillFolder: options.temporaryFolder)
  }

  // MARK: Taking operations

  /// Adds the log of the next slice.
  mutating func append(_ log: KeyLog, lines: LineCursor) throws(CofferError) {
    var lines = lines
    for entry in log.entries {
      switch entry.operation {
      case .claim(let set): try claim(entry, in: Int(set), number: Int(set), of: log, &lines)
      case .claimInScope(let height) where Int(height) < scopeNumbers.count:
        try claim(entry, in: setCount + Int(height), number: scopeNumbers[Int(height)], of: log, &lines)
      case .claimInScope(let height):
        let record = KeyRecord(operation: .claim, set: 0, violation: log.violation(.duplicate, entry, &lines))
        var known: KeyViolation?
        try scoped.claim(record, inScope: Int(height) - scopeNumbers.count) { known = $0.violation }
        if let known { try addDuplicate(known) }
      case .define(let set):
        try define(KeyRecord(operation: .define, set: Int(set), violation: log.violation(.duplicate, entry, &lines)))
      case .refer(let set):
        if tables[Int(set)].contains(entry.key) { continue }
        try refer(
          KeyRecord(
            operation: .refer, set: Int(set), violation: log.violation(.dangling, entry, &lines), base: log.base(of: entry)))
      case .openScopes(let count): for _ in 0..<count { scoped.openScope() }
      case .closeScopes(let height): scoped.closeScopes(downTo: Int(height) - scopeNumbers.count)
      }
    }
  }

  /// Adds a row of another combiner with the same open sets.
  mutating func append(_ row: KeyRecord) throws(CofferError) {
    switch row.operation {
    case .duplicate: try addDuplicate(row.violation)
    case .claim:
      let height = scopeNumbers.firstIndex(of: row.set)
      guard row.set < setCount || height != nil else { throw .damagedPartial }
      let insertion = try insertMakingRoom(row.key, into: height.map { setCount + $0 } ?? row.set)
      if insertion == .known { try addDuplicate(row.violation) } else { try rows.append(row) }
    case .define: try define(row)
    case .refer: if !tables[row.set].contains(row.key) { try refer(row) }
    }
  }

  private mutating func claim(
    _ entry: KeyLog.Entry, in table: Int, number: Int, of log: KeyLog, _ lines: inout LineCursor
  ) throws(CofferError) {
    let insertion = try insertMakingRoom(entry.key, into: table)
    let violation = log.violation(.duplicate, entry, &lines)
    if insertion == .known { return try addDuplicate(violation) }
    try rows.append(KeyRecord(operation: .claim, set: number, violation: violation))
  }

  private mutating func define(_ row: KeyRecord) throws(CofferError) {
    if try insertMakingRoom(row.key, into: row.set) != .known { try rows.append(row) }
  }

  private mutating func refer(_ row: KeyRecord) throws(CofferError) {
    try count(row, of: KeyLog.Target(set: Int32(row.set), key: row.key))
  }

  private mutating func addDuplicate(_ violation: KeyViolation) throws(CofferError) {
    try count(KeyRecord(operation: .duplicate, set: 0, violation: violation), of: nil)
  }

  /// Writes a row if it is one of the first of its kind, or if its findings need all places.
  private mutating func count(_ row: KeyRecord, of target: KeyLog.Target?) throws(CofferError) {
    if isDetailed[Int(row.violation.step)] { return try rows.append(row) }
    var isFirst = counted.isFirst(row, of: target, within: &budget)
    if isFirst == nil {
      try flush()
      isFirst = counted.isFirst(row, of: target, within: &budget)
    }
    if isFirst ?? true { try rows.append(row) }
  }

  // MARK: Memory

  private mutating func insert(_ key: KeyValue, into table: Int) -> KeyInsertion {
    tables[table].insert(key, within: &budget)
  }

  /// - Returns: `noRoom` if the memory isn't enough for a single key.
  private mutating func insertMakingRoom(_ key: KeyValue, into table: Int) throws(CofferError) -> KeyInsertion {
    let insertion = insert(key, into: table)
    if insertion != .noRoom { return insertion }
    try flush()
    return insert(key, into: table)
  }

  /// Writes the counted rows, and forgets all keys.
  private mutating func flush() throws(CofferError) {
    for row in counted.removeAll() { try rows.append(row) }
    reset()
  }

  private mutating func reset() {
    tables = UniqueArray(capacity: setCount + scopeNumbers.count)
    for _ in 0..<setCount + scopeNumbers.count { tables.append(KeyTable(seed: options.key.low ^ options.key.high)) }
    budget = MemoryBudget(bytes: memoryLimit / 2)
  }

  // MARK: The result

  /// Decides everything that can be decided now, between two slices, so that `rows` are complete.
  mutating func settle() throws(CofferError) {
    var index = Self.scopedIndex(options, memoryLimit)
    swap(&index, &scoped)
    try index.finish { record throws(CofferError) in try addDuplicate(record.violation) }
    try flush()
  }

  /// Calls `body` with the settled rows.
  mutating func forEachRow(_ body: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    try settle()
    try rows.forEach(body)
  }

  /// Removes the settled rows after calling `body` with them.
  mutating func removeRows(_ body: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    try forEachRow(body)
    rows = KeyRows(in: options.temporaryFolder)
  }

  /// Writes the settled rows.
  mutating func encode(to sink: inout some ByteSink) throws(CofferError) {
    try settle()
    try rows.encode(to: &sink)
  }

  /// Takes over the rows of another combiner. They are only combined with further ones once ``recombine()`` has been called.
  mutating func adopt(_ rows: consuming KeyRows) {
    self.rows = rows
    isAdopted = true
  }

  /// Combines adopted rows, so that further ones can be combined with them.
  mutating func recombine() throws(CofferError) {
    guard isAdopted else { return }
    isAdopted = false
    var adopted = KeyRows(in: options.temporaryFolder)
    swap(&adopted, &rows)
    try adopted.forEach { row throws(CofferError) in try append(row) }
  }
}

/// A duplicate key, or a reference without a target.
package struct KeyViolation: Sendable, Hashable {
  package enum Kind: Sendable { case duplicate, dangling }

  package var kind: Kind
  /// The step from the log.
  package var step: Int32
  package var key: KeyValue
  /// The value of the field that the finding points at, if that isn't the key.
  package var excerpt: KeyValue?
  /// The JSON Pointer of the array that holds the record; of the record itself if an object holds it.
  package var container: String
  /// The record's index in that array, or -1 in an object.
  package var index: Int
  package var offset: Int
  package var line: Int
  package var column: Int
  /// The number of equal violations that this one represents. Its place is that of the first of them.
  package var count = 1

  /// The record's JSON Pointer.
  var record: String { index < 0 ? container : "\(container)/\(index)" }

  /// The JSON Pointer of the array or object that holds the record.
  var collection: Substring { index < 0 ? container[..<(container.lastIndex(of: "/") ?? container.startIndex)] : container[...] }
}
