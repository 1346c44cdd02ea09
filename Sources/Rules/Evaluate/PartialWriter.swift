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
