import ByteStreams
import Findings
import JSONEvents

/// Writes the parts of a `CollectionPartial`. `PartialReader` has a method for each one here.
struct PartialWriter: ~Copyable {
  private(set) var buffer = RecordBuffer()

  mutating func append(_ number: Int) { buffer.append(varint: UInt64(bitPattern: Int64(number))) }
  mutating func append(_ number: Int32) { append(Int(number)) }
  mutating func append(_ flag: Bool) { buffer.append(flag ? 1 : 0) }
  mutating func append(byte: UInt8) { buffer.append(byte) }
  mutating func append(_ text: String) { buffer.append(text) }

  mutating func append(_ bytes: [UInt8]) {
    append(bytes.count)
    for byte in bytes { buffer.append(byte) }
  }

  mutating func append(_ key: KeyValue) {
    buffer.append(key.form.rawValue)
    buffer.append(key.low, length: 8)
    buffer.append(key.high, length: 8)
  }

  mutating func append<Element>(list: [Element], _ body: (inout PartialWriter, Element) -> Void) {
    append(list.count)
    for element in list { body(&self, element) }
  }

  mutating func append<Value>(optional value: Value?, _ body: (inout PartialWriter, Value) -> Void) {
    append(value != nil)
    if let value { body(&self, value) }
  }

  // MARK: Values

  mutating func append(_ value: DataValue) {
    buffer.append(value.kind.rawValue)
    append(value.text)
  }

  mutating func append(_ subject: FindingSubject) {
    append(subject.pointer)
    append(subject.offset)
    append(subject.line)
    append(subject.column)
    append(optional: subject.excerpt) { $0.append($1) }
  }

  mutating func append(_ budget: StepBudget) {
    for number in [budget.start, budget.end, budget.steps, budget.rise, budget.debt, budget.peak] { append(number) }
  }

  mutating func append(_ check: RuleProgram.Check) {
    buffer.append(check.operation.rawValue)
    buffer.append(check.comparison.rawValue)
    append(check.operand)
    append(check.rule)
  }

  mutating func append(_ instant: Instant) {
    buffer.append(UInt64(bitPattern: instant.seconds), length: 8)
    buffer.append(UInt64(bitPattern: instant.attoseconds), length: 8)
  }

  mutating func append(_ decimal: ExactDecimal) {
    append(decimal.digits)
    buffer.append(UInt64(bitPattern: Int64(decimal.exponent)), length: 8)
    append(decimal.isNegative)
  }

  mutating func append(_ sum: ExactSum) {
    buffer.append(UInt64(truncatingIfNeeded: sum.units), length: 8)
    buffer.append(UInt64(truncatingIfNeeded: sum.units >> 64), length: 8)
    append(sum.rest)
    append(sum.isOutOfReach)
  }

  mutating func append(_ aggregate: Aggregate) {
    append(aggregate.sum)
    append(optional: aggregate.unsummed) { writer, unsummed in
      writer.append(unsummed.count)
      writer.append(unsummed.first)
      writer.append(unsummed.found)
    }
    append(aggregate.leavesOutFaulty)
    append(list: aggregate.items.sorted { ($0.form.rawValue, $0.low, $0.high) < ($1.form.rawValue, $1.low, $1.high) }) {
      $0.append($1)
    }
    append(aggregate.isComplete)
    append(list: aggregate.runs) { writer, run in
      writer.append(run.order)
      writer.append(run.first.isNumber)
      writer.append(run.first.text)
      writer.append(run.last.text)
      writer.append(run.subject)
    }
  }

  mutating func append(_ finding: Finding) {
    for text in [finding.code, finding.keyword, finding.message, finding.schemaLocation, finding.place.pointer] { append(text) }
    append(byte: Self.number(of: finding.severity))
    append(finding.place.offset)
    append(finding.place.line)
    append(finding.place.column)
    append(optional: finding.excerpt) { $0.append($1) }
  }

  mutating func append(_ share: FindingCollector.StoredShare) {
    append(byte: Self.number(of: share.rule.severity))
    append(share.rule.code)
    append(share.rule.schemaLocation)
    append(share.count)
    append(share.demand)
    append(list: share.kept.findings) { $0.append($1) }
    for end in [share.kept.firstEnd, share.kept.spreadEnd] { append(optional: end) { $0.append($1) } }
  }

  mutating func append(_ distribution: FindingDistribution) {
    append(distribution.partSize.trailingZeroBitCount)
    for severity in Severity.allCases { append(list: distribution[severity]) { $0.append($1) } }
  }

  mutating func append(_ claim: EntryClaim) {
    append(claim.entry)
    switch claim.content {
    case .isThere: append(byte: 0)
    case .size(let size):
      append(byte: 1)
      append(Int(size))
    case .digest(let algorithm, let text):
      append(byte: 2)
      append(algorithm.rawValue)
      append(text)
    }
    append(claim.rule)
    append(claim.subject)
  }

  mutating func append(_ comparison: DeferredComparison) {
    append(comparison.holder)
    append(comparison.slot)
    append(comparison.cell)
    append(comparison.check)
    append(comparison.value)
    append(comparison.finding)
  }

  mutating func append(_ comparison: AggregateComparison) {
    append(comparison.holder)
    append(comparison.slot)
    append(comparison.check)
    append(comparison.value)
    append(comparison.key)
    append(comparison.finding)
  }

  private static func number(of severity: Severity) -> UInt8 {
    UInt8(truncatingIfNeeded: Severity.allCases.firstIndex(of: severity) ?? 0)
  }
}

/// Reads what `PartialWriter` wrote.
///
/// After damage, or a number that the program has no row for, reads return placeholders and `hasFailed` is set. So one check at
/// the end covers everything, and no read traps.
struct PartialReader {
  private let program: RuleProgram
  private var cursor: RecordCursor
  private let byteCount: Int
  static let largest = KeyRecord.largest

  init(_ bytes: ByteView, _ program: RuleProgram) {
    self.program = program
    cursor = RecordCursor(bytes, at: 0)
    byteCount = bytes.count
  }

  var hasFailed: Bool { cursor.hasFailed }
  var isAtEnd: Bool { cursor.position == byteCount }

  /// Notes damage unless a condition holds.
  mutating func check(_ isRight: Bool) { if !isRight { cursor.fail() } }

  mutating func number() -> Int { number(below: Self.largest) }

  /// Reads an index of a table with `count` rows.
  mutating func number(below count: Int) -> Int {
    let word = cursor.varint()
    guard word < UInt64(max(0, count)) else {
      cursor.fail()
      return 0
    }
    return Int(word)
  }

  mutating func rawNumber() -> UInt64 { cursor.varint() }
  private mutating func signed() -> Int { Int(Int64(bitPattern: cursor.varint())) }
  private mutating func word() -> UInt64 { cursor.word(length: 8) }

  mutating func flag() -> Bool {
    let byte = cursor.byte()
    check(byte < 2)
    return byte == 1
  }

  mutating func text() -> String { cursor.text() }
  mutating func bytes() -> [UInt8] { cursor.view(cursor.varint()).array }

  mutating func key() -> KeyValue {
    let form = KeyValue.Form(rawValue: cursor.byte())
    check(form != nil)
    let low = word()
    return KeyValue(form ?? .digest, low, word())
  }

  mutating func budget() -> StepBudget {
    let budget = StepBudget(start: number(), end: number(), steps: number(), rise: number(), debt: number(), peak: number())
    check(budget.isValid)
    return budget
  }

  /// Reads a list of at most `limit` elements.
  mutating func list<Element>(limit: Int = largest, _ body: (inout PartialReader) -> Element?) -> [Element] {
    let count = number(below: limit == .max ? limit : limit + 1)
    var list: [Element] = []
    // A damaged count ends with the bytes.
    while list.count < count, !hasFailed {
      guard let element = body(&self) else {
        cursor.fail()
        break
      }
      list.append(element)
    }
    return list
  }

  mutating func optional<Value>(_ body: (inout PartialReader) -> Value) -> Value? { flag() ? body(&self) : nil }

  // MARK: Values

  mutating func value() -> DataValue {
    let kind = DataValue.Kind(rawValue: cursor.byte())
    check(kind != nil)
    return DataValue(kind ?? .absent, text: bytes())
  }

  mutating func rule() -> Int32 { Int32(number(below: program.rules.count)) }

  mutating func subject() -> FindingSubject {
    let pointer = text()
    let (offset, line, column) = (number(), number(), number())
    return FindingSubject(
      pointer: pointer, offset: offset, line: line, column: column, excerpt: optional { $0.text() })
  }

  /// Reads a check that compares with a value elsewhere.
  mutating func dataCheck() -> RuleProgram.Check {
    let check = check(operands: program.constants.data.count)
    self.check([.numericData, .formatData, .equalsData].contains(check.operation))
    return check
  }

  /// Reads a check that compares with an aggregate.
  private mutating func aggregateCheck() -> RuleProgram.Check {
    let check = check(operands: program.constants.aggregates.count)
    self.check([.amongData, .sum].contains(check.operation))
    return check
  }

  private mutating func check(operands: Int) -> RuleProgram.Check {
    let operation = RuleProgram.Operation(rawValue: cursor.byte())
    let comparison = Comparison(rawValue: cursor.byte())
    check(operation != nil && comparison != nil)
    let operand = Int32(number(below: operands))
    return RuleProgram.Check(
      operation: operation ?? .never, comparison: comparison ?? .atLeast, slot: 0, operand: operand, rule: rule())
  }

  mutating func instant() -> Instant {
    let seconds = Int64(bitPattern: word())
    return Instant(seconds: seconds, attoseconds: Int64(bitPattern: word()))
  }

  private mutating func decimal() -> ExactDecimal {
    let digits = bytes()
    let exponent = Int(Int64(bitPattern: word()))
    // These limits are far above those of real sums.
    check(digits.allSatisfy { $0 < 10 } && digits.count < 1 << 14 && abs(exponent.clamped) < 1 << 14)
    return ExactDecimal(digits: hasFailed ? [] : digits, exponent: exponent.clamped, isNegative: flag())
  }

  mutating func sum() -> ExactSum {
    let low = word()
    let high = word()
    let rest = decimal()
    let sum = ExactSum(
      units: Int128(truncatingIfNeeded: Int64(bitPattern: high)) << 64 | Int128(low), rest: rest, isOutOfReach: flag())
    check(sum != nil)
    return sum ?? ExactSum()
  }

  mutating func aggregate() -> Aggregate {
    var aggregate = Aggregate()
    aggregate.sum = sum()
    aggregate.unsummed = optional { UnsummedValues(count: $0.number(), first: $0.subject(), found: $0.text()) }
    aggregate.leavesOutFaulty = flag()
    aggregate.items = Set(list { $0.key() })
    aggregate.isComplete = flag()
    aggregate.runs = list(limit: 2) { $0.run() }
    check(Set(aggregate.runs.map(\.last.isNumber)).count == aggregate.runs.count)
    return aggregate
  }

  private mutating func run() -> SortedRun? {
    let index = number(below: program.constants.orders.count)
    let (isNumber, first, last) = (flag(), bytes(), bytes())
    guard !hasFailed else { return nil }
    let asInstant = program.constants.orders[index].comparesInstants
    guard let first = SortKey(isNumber: isNumber, text: first, asInstant: asInstant),
      let last = SortKey(isNumber: isNumber, text: last, asInstant: asInstant)
    else { return nil }
    return SortedRun(order: index, first: first, subject: subject(), last: last)
  }

  mutating func severity() -> Severity {
    let number = Int(cursor.byte())
    check(number < Severity.allCases.count)
    return hasFailed ? .note : Severity.allCases[number]
  }

  mutating func finding() -> Finding {
    // The strings have been shortened already. Doing that again would change them.
    var finding = Finding(
      code: text(), keyword: text(), severity: .note, message: "", place: Place(pointer: "", line: 0, column: 0, offset: 0),
      schemaLocation: "")
    finding.message = text()
    finding.schemaLocation = text()
    finding.place.pointer = text()
    finding.severity = severity()
    finding.place.offset = number()
    finding.place.line = number()
    finding.place.column = number()
    finding.excerpt = optional { $0.text() }
    return finding
  }

  mutating func share(findingLimit: Int) -> FindingCollector.StoredShare {
    let rule = FindingRule(severity: severity(), code: text(), schemaLocation: text())
    let (count, demand) = (number(), number())
    var kept = FairChoice()
    kept.findings = list(limit: findingLimit) { $0.finding() }
    kept.firstEnd = optional { $0.finding() }
    kept.spreadEnd = optional { $0.finding() }
    return FindingCollector.StoredShare(rule: rule, count: count, demand: demand, kept: kept)
  }

  mutating func distribution() -> FindingDistribution {
    let shift = number(below: FindingDistribution.shiftLimit)
    let parts = Severity.allCases.map { ($0, list(limit: FindingDistribution.partLimit) { $0.number() }) }
    return FindingDistribution(shift: shift, Dictionary(parts) { first, _ in first })
  }

  mutating func entryClaim() -> EntryClaim {
    let entry = text()
    var content = EntryClaim.Content.isThere
    switch cursor.byte() {
    case 0: break
    case 1: content = .size(Int64(signed()))
    case 2:
      let algorithm = DigestAlgorithm(rawValue: text())
      check(algorithm != nil)
      content = .digest(algorithm ?? .md5, text())
    default: cursor.fail()
    }
    let rule = rule()
    return EntryClaim(entry: entry, content: content, rule: rule, subject: subject())
  }

  mutating func comparison(_ shape: CollectionShape) -> DeferredComparison {
    let (holder, slot, cell) = (number(below: shape.activeCount), number(), number(below: shape.cellCount))
    let (check, value) = (dataCheck(), value())
    return DeferredComparison(holder: holder, slot: slot, cell: cell, check: check, value: value, finding: subject())
  }

  /// Reads a comparison with an aggregate of a container around the collection, or of the document.
  ///
  /// - Parameter activeCount: the number of states around the collection, or `nil` for the document's aggregates.
  mutating func aggregateComparison(activeCount: Int?) -> AggregateComparison {
    let holder = activeCount.map { number(below: $0) } ?? signed()
    let slot = number()
    check(activeCount != nil || holder == -1 && slot == 0)
    let (check, value, key) = (aggregateCheck(), value(), key())
    return AggregateComparison(holder: holder, slot: slot, check: check, value: value, key: key, finding: subject())
  }
}

extension Int {
  /// The value, or a value just as far out of reach of a sum.
  fileprivate var clamped: Int { Swift.min(Swift.max(self, -1 << 20), 1 << 20) }
}
