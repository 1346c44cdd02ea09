package import ByteStreams

/// Decides the operations on the keys of one bucket, in document order: see `KeyRowWriter`.
///
/// A dangling reference that refines another one isn't a violation if that one dangles, too, which is known only in the bucket of the
/// other one's key. So the result has such references as they are, and the keys of all dangling ones that others may refine.
///
///     duplicate   a violation
///     refer       a violation, unless its base is among the undefined keys
///     define      an undefined key
///
/// Memory and disk: as for a `KeyIndex`.
package struct KeyJoin: ~Copyable {
  private let schema: KeySchema
  private let options: EvaluationOptions
  private var index: KeyIndex
  /// The sets of arrays: any number of them.
  private var scoped: KeySpill?
  /// The number of operations so far.
  private var count = 0

  private var rows: KeyRows
  private var counted: CountedRows
  private var undefined: Set<KeyLog.Target> = []
  private var budget: MemoryBudget

  package init(_ program: RuleProgram, _ options: EvaluationOptions) { self.init(KeySchema(program), options) }

  init(_ schema: KeySchema, _ options: EvaluationOptions) {
    self.schema = schema
    self.options = options
    index = KeyIndex(schema, options)
    rows = KeyRows(in: options.temporaryFolder)
    counted = CountedRows(limit: options.maximumFindings)
    budget = MemoryBudget(bytes: options.memoryLimit / 4)
  }

  /// Takes the next rows of the bucket.
  ///
  /// - Throws: `damagedPartial` if they can't be decoded; an error of a temporary file.
  package mutating func append(_ bytes: [UInt8]) throws(CofferError) {
    try KeyRows.decode(bytes) { row throws(CofferError) in
      count += min(max(0, row.violation.count), KeyRecord.largest)
      guard row.isValid(schema, hasScope: { _ in true }), count <= KeyRecord.largest else { throw .damagedPartial }
      if row.operation == .claim, row.set >= schema.setCount { return try claimInScope(row) }
      var found: KeyRecord?
      try index.apply(row) { found = $0 }
      if let found { try add(found) }
    }
  }

  private mutating func claimInScope(_ row: KeyRecord) throws(CofferError) {
    if scoped == nil {
      scoped = try KeySpill(
        in: options.temporaryFolder, layout: KeySpill.Layout(), seed: options.key.low ^ options.key.high, decidesBases: false)
    }
    try scoped?.append(row)
  }

  /// Decides everything, and writes the result.
  package mutating func finish(to sink: inout some ByteSink) throws(CofferError) {
    var index = KeyIndex(schema, options)
    swap(&index, &self.index)
    var scoped = self.scoped.take()
    try index.finish { record throws(CofferError) in try add(record) }
    try scoped?.finish(memory: options.memoryLimit / 2) { record throws(CofferError) in try add(record) }
    try flush()
    try rows.encode(to: &sink)
  }

  private mutating func add(_ record: KeyRecord) throws(CofferError) {
    var row = record
    if row.operation == .claim { (row.operation, row.set) = (.duplicate, 0) }
    if row.operation == .refer, schema.baseSets.contains(row.set) {
      let target = KeyLog.Target(set: Int32(row.set), key: row.key)
      if undefined.count >= 1 << 16 { undefined = [] }
      if undefined.insert(target).inserted {
        var definition = row
        (definition.operation, definition.base, definition.violation.excerpt, definition.violation.count) = (.define, nil, nil, 1)
        try rows.append(definition)
      }
    }
    if schema.isDetailed[Int(row.violation.step)] == true { return try rows.append(row) }
    var isFirst = counted.isFirst(row, within: &budget)
    if isFirst == nil {
      try flush()
      isFirst = counted.isFirst(row, within: &budget)
    }
    if isFirst ?? true { try rows.append(row) }
  }

  /// Writes the counted rows, and forgets the others.
  private mutating func flush() throws(CofferError) {
    for row in counted.removeAll() { try rows.append(row) }
    budget = MemoryBudget(bytes: options.memoryLimit / 4)
  }
}

/// The results of all buckets' `KeyJoin`s.
struct KeyDecisions: ~Copyable {
  /// The references without a base.
  private var dangling: KeyRows
  /// The undefined keys, and the references that are violations if their base is not among them.
  private var undefined: KeyIndex

  init(_ schema: KeySchema, _ options: EvaluationOptions) {
    dangling = KeyRows(in: options.temporaryFolder)
    undefined = KeyIndex(schema, options)
  }

  /// Takes a row. Duplicates are reported immediately, as they are if the document ends early.
  mutating func append(_ row: KeyRecord, report: (KeyViolation) -> Void) throws(CofferError) {
    switch (row.operation, row.base) {
    case (.duplicate, _): report(row.violation)
    case (.define, _): try undefined.apply(row) { _ in }
    case (.refer, let base?): try undefined.apply(row.exchangingKey(for: base)) { _ in }
    case (.refer, nil): try dangling.append(row)
    case (.claim, _): throw .damagedPartial
    }
  }

  /// Reports the dangling references.
  mutating func finish(report: (KeyViolation) -> Void) throws(CofferError) {
    try dangling.forEach { row throws(CofferError) in report(row.violation) }
    try undefined.finish { row in
      if let key = row.base { report(row.exchangingKey(for: key).violation) }
    }
  }
}

extension KeyRecord {
  /// Returns the reference with its base as the key, and its key as the base.
  fileprivate func exchangingKey(for base: KeyLog.Target) -> KeyRecord {
    var record = self
    record.base = KeyLog.Target(set: Int32(set), key: key)
    (record.set, record.violation.key) = (Int(base.set), base.key)
    return record
  }
}
