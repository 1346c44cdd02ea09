import ByteStreams
import Findings
import JSONEvents

/// Writes the parts of a `CollectionPartial`, or reads them.
///
/// Each function does both, so that the two can't differ: it writes the value that it is given, or reads one if it is given none,
/// and returns the value.
///
///     FindingSubject(pointer: text(subject?.pointer), position: position(subject?.position), …)
///
/// After damage, or a number that the program has no row for, reads return placeholders and `hasFailed` is set. So one check at
/// the end covers everything, and no read traps.
struct PartialCoder: ~Copyable {
  let program: RuleProgram
  private(set) var buffer = ByteBuffer()
  /// The place to read from; `nil` to write.
  private var cursor: RecordCursor?
  private let byteCount: Int

  /// Creates a coder that writes.
  init(_ program: RuleProgram) {
    self.program = program
    byteCount = 0
  }

  /// Creates a coder that reads.
  init(_ bytes: ByteView, _ program: RuleProgram) {
    self.program = program
    cursor = RecordCursor(bytes, at: 0)
    byteCount = bytes.count
  }

  var isReading: Bool { cursor != nil }
  var hasFailed: Bool { cursor?.hasFailed ?? false }
  var isAtEnd: Bool { cursor?.position == byteCount }

  private mutating func fail() { cursor?.fail() }

  /// Notes damage unless a condition holds for what was read.
  mutating func check(_ isRight: Bool) { if !isRight { fail() } }

  // MARK: Numbers and texts

  private mutating func byte(_ value: UInt8?) -> UInt8 {
    if let read = cursor?.byte() { return read }
    buffer.append(value ?? 0)
    return value ?? 0
  }

  private mutating func varint(_ value: UInt64?) -> UInt64 {
    if let read = cursor?.varint() { return read }
    buffer.append(varint: value ?? 0)
    return value ?? 0
  }

  private mutating func word(_ value: UInt64?) -> UInt64 {
    if let read = cursor?.word(length: 8) { return read }
    buffer.append(value ?? 0, length: 8)
    return value ?? 0
  }

  private mutating func signedWord(_ value: Int64?) -> Int64 {
    Int64(bitPattern: word(value.map { UInt64(bitPattern: $0) }))
  }

  private mutating func signed(_ value: Int?) -> Int {
    Int(Int64(bitPattern: varint(value.map { UInt64(bitPattern: Int64($0)) })))
  }

  /// - Parameter limit: the number of rows of a table that the number is an index of.
  mutating func number(_ value: Int?, below limit: Int = KeyRecord.largest) -> Int {
    let number = signed(value)
    guard isReading, !(0..<max(0, limit) ~= number) else { return number }
    fail()
    return 0
  }

  private mutating func rule(_ value: Int32?) -> Int32 {
    Int32(truncatingIfNeeded: number(value.map(Int.init), below: program.rules.count))
  }

  mutating func flag(_ value: Bool?) -> Bool {
    let byte = byte(value == true ? 1 : 0)
    check(byte < 2)
    return byte == 1
  }

  private mutating func choice<Choice: RawRepresentable<UInt8>>(_ value: Choice?, or other: Choice) -> Choice {
    let choice = Choice(rawValue: byte(value?.rawValue))
    check(choice != nil)
    return choice ?? other
  }

  mutating func text(_ value: String?) -> String {
    if let read = cursor?.text() { return read }
    buffer.append(value ?? "")
    return value ?? ""
  }

  mutating func bytes(_ value: [UInt8]?) -> [UInt8] {
    let count = varint(value.map { UInt64($0.count) })
    if let read = cursor?.view(count) { return read.array }
    buffer.append(value ?? [])
    return value ?? []
  }

  // MARK: Lists

  /// - Parameter limit: the most elements that are read.
  mutating func list<Element>(
    _ list: [Element]?, limit: Int = KeyRecord.largest, _ body: (inout PartialCoder, Element?) -> Element?
  ) -> [Element] {
    let count = number(list?.count, below: limit == .max ? limit : limit + 1)
    for element in list ?? [] { _ = body(&self, element) }
    var read: [Element] = []
    // A damaged count ends with the bytes.
    while isReading, read.count < count, !hasFailed {
      if let element = body(&self, nil) { read.append(element) } else { fail() }
    }
    return list ?? read
  }

  mutating func optional<Value>(_ value: Value?, _ body: (inout PartialCoder, Value?) -> Value) -> Value? {
    flag(value != nil) ? body(&self, value) : nil
  }

  // MARK: Values

  mutating func key(_ key: KeyValue?) -> KeyValue {
    KeyValue(choice(key?.form, or: .digest), word(key?.low), word(key?.high))
  }

  mutating func value(_ value: DataValue?) -> DataValue {
    DataValue(choice(value?.kind, or: .absent), text: bytes(value?.text))
  }

  mutating func subject(_ subject: FindingSubject?) -> FindingSubject {
    FindingSubject(
      pointer: text(subject?.pointer), position: position(subject?.position),
      excerpt: optional(subject?.excerpt) { $0.text($1) })
  }

  private mutating func position(_ position: TextPosition?) -> TextPosition {
    TextPosition(offset: number(position?.offset), line: number(position?.line), column: number(position?.column))
  }

  mutating func budget(_ budget: StepBudget?) -> StepBudget {
    let budget = StepBudget(
      start: number(budget?.start), end: number(budget?.end), steps: number(budget?.steps), rise: number(budget?.rise),
      debt: number(budget?.debt), peak: number(budget?.peak))
    check(budget.isValid)
    return budget
  }

  mutating func instant(_ instant: Instant?) -> Instant {
    Instant(seconds: signedWord(instant?.seconds), attoseconds: signedWord(instant?.attoseconds))
  }

  private mutating func decimal(_ decimal: ExactDecimal?) -> ExactDecimal {
    let digits = bytes(decimal?.digits)
    let exponent = Int(signedWord(decimal.map { Int64($0.exponent) }))
    // These limits are far above those of real sums.
    let isSmall = digits.count < 1 << 14 && (-1 << 14 + 1..<1 << 14) ~= exponent
    check(digits.allSatisfy { $0 < 10 } && isSmall)
    return ExactDecimal(
      digits: hasFailed ? [] : digits, exponent: isSmall ? exponent : 0, isNegative: flag(decimal?.isNegative))
  }

  private mutating func sum(_ sum: ExactSum?) -> ExactSum {
    let low = word(sum.map { UInt64(truncatingIfNeeded: $0.units) })
    let high = signedWord(sum.map { Int64(truncatingIfNeeded: $0.units >> 64) })
    let sum = ExactSum(
      units: Int128(high) << 64 | Int128(low), rest: decimal(sum?.rest), isOutOfReach: flag(sum?.isOutOfReach))
    check(sum != nil)
    return sum ?? ExactSum()
  }

  mutating func aggregate(_ old: Aggregate?) -> Aggregate {
    var aggregate = Aggregate()
    aggregate.sum = sum(old?.sum)
    aggregate.unsummed = optional(old?.unsummed) {
      UnsummedValues(count: $0.number($1?.count), first: $0.subject($1?.first), found: $0.text($1?.found))
    }
    aggregate.leavesOutFaulty = flag(old?.leavesOutFaulty)
    let items = old?.items.sorted { ($0.form.rawValue, $0.low, $0.high) < ($1.form.rawValue, $1.low, $1.high) }
    aggregate.items = Set(list(items) { $0.key($1) })
    aggregate.isComplete = flag(old?.isComplete)
    aggregate.runs = list(old?.runs, limit: 2) { $0.run($1) }
    check(Set(aggregate.runs.map(\.last.isNumber)).count == aggregate.runs.count)
    return aggregate
  }

  private mutating func run(_ run: Aggregate.SortedRun?) -> Aggregate.SortedRun? {
    let index = number(run?.order, below: program.constants.orders.count)
    let (isNumber, first, last) = (flag(run?.first.isNumber), bytes(run?.first.text), bytes(run?.last.text))
    guard !hasFailed else { return nil }
    let asInstant = program.constants.orders[index].comparesInstants
    guard let first = Aggregate.SortKey(isNumber: isNumber, text: first, asInstant: asInstant),
      let last = Aggregate.SortKey(isNumber: isNumber, text: last, asInstant: asInstant)
    else { return nil }
    return Aggregate.SortedRun(order: index, first: first, subject: subject(run?.subject), last: last)
  }

  // MARK: Findings

  private mutating func severity(_ severity: Severity?) -> Severity {
    let all = Severity.allCases
    let number = Int(byte(severity.map { UInt8(truncatingIfNeeded: all.firstIndex(of: $0) ?? 0) }))
    check(number < all.count)
    return number < all.count ? all[number] : .note
  }

  private mutating func finding(_ old: Finding?) -> Finding {
    // The strings have been shortened already. Doing that again would change them.
    var finding = Finding(
      code: text(old?.code), keyword: text(old?.keyword), severity: .note, message: "",
      place: .start, schemaLocation: "")
    finding.message = text(old?.message)
    finding.schemaLocation = text(old?.schemaLocation)
    finding.place.pointer = text(old?.place.pointer)
    finding.severity = severity(old?.severity)
    finding.place.position = position(old?.place.position)
    finding.excerpt = optional(old?.excerpt) { $0.text($1) }
    return finding
  }

  mutating func share(_ share: FindingCollector.Share?, findingLimit: Int) -> FindingCollector.Share {
    let rule = FindingRule(
      severity: severity(share?.rule.severity), code: text(share?.rule.code), schemaLocation: text(share?.rule.schemaLocation))
    let (count, demand) = (number(share?.count), number(share?.demand))
    var kept = FairChoice()
    kept.findings = list(share?.kept.findings, limit: findingLimit) { $0.finding($1) }
    kept.firstEnd = optional(share?.kept.firstEnd) { $0.finding($1) }
    kept.spreadEnd = optional(share?.kept.spreadEnd) { $0.finding($1) }
    return FindingCollector.Share(rule: rule, count: count, demand: demand, kept: kept)
  }

  // MARK: What waits

  mutating func entryClaim(_ claim: EntryClaim?) -> EntryClaim {
    let entry = text(claim?.entry)
    var content = EntryClaim.Content.isThere
    switch (claim?.content, byte(claim?.content.number)) {
    case (_, 0): break
    case (.size(let size), _): content = .size(Int64(signed(Int(size))))
    case (.digest(let algorithm, let text), _): content = digest(algorithm, text)
    case (_, 1): content = .size(Int64(signed(nil)))
    case (_, 2): content = digest(nil, nil)
    default: fail()
    }
    return EntryClaim(entry: entry, content: content, rule: rule(claim?.rule), subject: subject(claim?.subject))
  }

  private mutating func digest(_ algorithm: DigestAlgorithm?, _ digits: String?) -> EntryClaim.Content {
    let algorithm = DigestAlgorithm(rawValue: text(algorithm?.rawValue))
    check(algorithm != nil)
    return .digest(algorithm ?? .md5, text(digits))
  }

  /// A comparison that waits for a container around the collection or, without a shape, for the document's end.
  mutating func comparison(_ old: DeferredComparison?, _ shape: CollectionShape?) -> DeferredComparison {
    let holder = shape.map { number(old?.holder, below: $0.activeCount) } ?? signed(old?.holder)
    let (slot, cell) = (number(old?.slot), signed(old?.cell))
    let (data, aggregates) = (program.constants.data.count, program.constants.aggregates.count)
    let row = check(old?.check, operands: max(data, aggregates, program.countNames.count))
    switch row.operation {
    case .numericData, .formatData, .equalsData: check(0..<(shape?.cellCount ?? 0) ~= cell && row.operand < data)
    case .amongData, .sum: check(cell == -1 && row.operand < aggregates)
    case .count: check(cell == -1 && row.operand < program.countNames.count && shape == nil)
    default: fail()
    }
    check(shape != nil || holder == -1 && slot == 0)
    return DeferredComparison(
      holder: holder, slot: slot, cell: cell, check: row, value: value(old?.value), key: key(old?.key),
      finding: subject(old?.finding))
  }

  mutating func waitingRule(_ old: WaitingLog.Rule?) -> WaitingLog.Rule {
    WaitingLog.Rule(
      check: dataCheck(old?.check), cell: number(old?.cell, below: program.globalCellCount),
      extremes: optional(old?.extremes) { (least: $0.instant($1?.least), greatest: $0.instant($1?.greatest)) })
  }

  /// A check that compares with a value elsewhere.
  private mutating func dataCheck(_ old: RuleProgram.Check?) -> RuleProgram.Check {
    let check = check(old, operands: program.constants.data.count)
    self.check([.numericData, .formatData, .equalsData].contains(check.operation))
    return check
  }

  private mutating func check(_ check: RuleProgram.Check?, operands: Int) -> RuleProgram.Check {
    RuleProgram.Check(
      operation: choice(check?.operation, or: .never), comparison: choice(check?.comparison, or: .atLeast), slot: 0,
      operand: Int32(truncatingIfNeeded: number(check.map { Int($0.operand) }, below: operands)), rule: rule(check?.rule))
  }
}

extension EntryClaim.Content {
  fileprivate var number: UInt8 {
    switch self {
    case .isThere: 0
    case .size: 1
    case .digest: 2
    }
  }
}
