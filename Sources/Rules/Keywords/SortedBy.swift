import ByteStreams
import Findings
import JSONEvents

// `sortedBy`, from its value to its findings: the records of a collection ascend or descend by a field, or by their names.
//
//     keyword ─▶ Schema.SortOrder ─▶ RuleProgram.Order, and a place action for the field ─▶ SortedRun
//
// Each value is compared with the one of the same type before it, so an evaluator keeps only the last ones. A slice also keeps
// its first ones: they are compared with the last ones of the slices before it when the slices merge.

extension Schema {
  package struct SortOrder: Sendable {
    package var field: FieldPath
    package var isDescending = false
    /// True if strings are compared as dates and times.
    var comparesInstants = false
  }
}

extension Keyword {
  static let sortedBy = Keyword("sortedBy", .coffer) { _, member, reader throws(CofferError) in
    .sortedBy(try reader.sortOrder(member.value))
  }
}

private enum SortDirection: String, CaseIterable { case ascending, descending }

extension KeywordReader {
  /// Reads a field, or an object with the field and the order.
  fileprivate func sortOrder(_ value: RuleValue) throws(CofferError) -> Schema.SortOrder {
    if value.isObject { try value.checkMembers(known: ["field", "order", "asInstants"]) }
    guard let field = value.isObject ? value["field"] : value, field.string != nil else {
      throw value.error("sortedBy needs a field, such as \"date\"")
    }
    return Schema.SortOrder(
      field: try fields(field)[0],
      isDescending: try value["order"]?.expectChoice(SortDirection.allCases) == .descending,
      comparesInstants: try value["asInstants"]?.expectBoolean() ?? false)
  }
}

extension RuleProgram {
  /// The order of the records of a collection.
  package struct Order: Sendable, BitwiseCopyable {
    /// The aggregate of the collection that keeps its runs.
    var aggregate: Int32
    package var rule: Int32
    package var isDescending: Bool
    var comparesInstants: Bool
  }
}

extension Keyword.Rule {
  static func sorted(by order: Schema.SortOrder) -> Keyword.Rule {
    Keyword.Rule(.collection, fields: [order.field]) { adder, keyword, slot throws(CofferError) in
      try adder.addOrder(order, keyword, slot)
    }
  }
}

extension KeywordAdder {
  fileprivate func addOrder(_ order: Schema.SortOrder, _ keyword: Schema.Keyword, _ slot: UInt16) throws(CofferError) {
    try refuseInBranches(keyword, slot)
    let aggregate = compiler.locations.newAggregate()
    let root = compiler.locations.newRoot()
    let row = RuleProgram.Order(
      aggregate: Int32(aggregate),
      rule: rule(
        keyword,
        (order.isDescending ? "descending " : "ascending ")
          + (order.field.endsInName ? "names" : "values of \(order.field.fieldText)")),
      isDescending: order.isDescending, comparesInstants: order.comparesInstants)
    // As many containers lie between the value and the collection as the field has names. A record's name is in the collection.
    let isName = order.field.endsInName
    let action = RuleProgram.PlaceAction(
      kind: .order, levels: isName ? 0 : Int32(order.field.count), index: Int32(constant(row, in: \.orders)), isName: isName)
    draft.aggregates.append(aggregate)
    if isName {
      compiler.locations.add(action, at: [], from: root)
      draft.nameRoots.append(root)
    } else {
      compiler.locations.add(action, at: ["*"] + order.field, from: root)
      draft.roots.append(root)
    }
    draft.recordKeywords.append((keyword, nil))
  }
}

extension Aggregate {
  /// A value of a field that records are sorted by.
  struct SortKey: Sendable {
    let isNumber: Bool
    let text: [UInt8]
    private var integer: Int64?
    private var instant: Instant?

    /// Creates the key of a value, or `nil` if it has no order.
    init?(_ scalar: Scalar, asInstant: Bool) {
      guard scalar.kind == .number || scalar.kind == .string else { return nil }
      isNumber = scalar.kind == .number
      text = scalar.text.array
      if isNumber {
        integer = scalar.isInteger ? scalar.integer : nil
      } else if asInstant {
        instant = Self.instant(scalar.text)
        if instant == nil { return nil }
      }
    }

    /// Restores a key from its text, or `nil` if it has no order.
    init?(isNumber: Bool, text: [UInt8], asInstant: Bool) {
      self.isNumber = isNumber
      self.text = text
      if isNumber {
        integer = text.withView { IntegerText.value($0) }
      } else if asInstant {
        instant = text.withView { Self.instant($0) }
        if instant == nil { return nil }
      }
    }

    private static func instant(_ text: ByteView) -> Instant? {
      DateTimeText.wholeSeconds(text) ?? DateTimeText.dateTime(text) ?? DateTimeText.date(text)
    }

    /// - Parameter other: a key of the same array, and with the same `isNumber`.
    func isLess(than other: SortKey) -> Bool {
      if let integer, let other = other.integer { return integer < other }
      if let instant, let other = other.instant { return instant < other }
      guard isNumber else { return text.lexicographicallyPrecedes(other.text) }
      guard let decimal, let other = other.decimal else { return false }
      return decimal < other
    }

    private var decimal: ExactDecimal? { text.withView { ExactDecimal($0) } }

    /// The value as messages show it.
    var description: String {
      let excerpt = text.withView(RuleEvaluator.excerpt)
      return isNumber ? excerpt : "'\(excerpt)'"
    }
  }

  /// The ends of a run of values of the same type.
  struct SortedRun: Sendable {
    /// The index of `RuleProgram.Order`.
    let order: Int
    let first: SortKey
    /// The place of the first value.
    let subject: FindingSubject
    var last: SortKey
  }

  /// A value that is out of order, and the one before it.
  struct Disorder {
    let order: RuleProgram.Order
    let key: SortKey
    let before: SortKey
    let subject: FindingSubject

    func message(_ program: RuleProgram, redacts: Bool) -> String {
      let found = redacts ? "" : ", found \(key.description) after \(before.description)"
      return "expected \(program.rules[Int(order.rule)].expectation)\(found)"
    }
  }
}

extension RuleProgram.Order {
  func isOutOfOrder(_ key: Aggregate.SortKey, after before: Aggregate.SortKey) -> Bool {
    isDescending ? before.isLess(than: key) : key.isLess(than: before)
  }
}

extension [Aggregate.SortedRun] {
  /// Adds the runs of the next slice, and returns what is out of order where they meet.
  mutating func append(_ next: [Aggregate.SortedRun], _ orders: [RuleProgram.Order]) -> [Aggregate.Disorder] {
    var found: [Aggregate.Disorder] = []
    for run in next {
      guard let index = firstIndex(where: { $0.last.isNumber == run.last.isNumber }) else {
        append(run)
        continue
      }
      let (order, before) = (orders[run.order], self[index].last)
      self[index].last = run.last
      if order.isOutOfOrder(run.first, after: before) {
        found.append(Aggregate.Disorder(order: order, key: run.first, before: before, subject: run.subject))
      }
    }
    return found
  }
}

extension RuleEvaluator {
  /// Compares a record's value with the one before it.
  ///
  /// - Parameter collection: the active state of the array or object.
  mutating func compareSorted(_ scalar: Scalar, by number: Int, in collection: Int) {
    let order = program.constants.orders[number]
    let run = program.states[Int(activeStates[collection].state)].aggregates
    guard let row = run.indices.first(where: { program.aggregates[$0] == order.aggregate }),
      let key = Aggregate.SortKey(scalar, asInstant: order.comparesInstants)
    else { return }
    let aggregate = Int(activeStates[collection].aggregates) + row - Int(run.start)
    guard let index = aggregates[aggregate].runs.firstIndex(where: { $0.last.isNumber == key.isNumber }) else {
      aggregates[aggregate].runs.append(Aggregate.SortedRun(order: number, first: key, subject: subject(of: scalar), last: key))
      return
    }
    let before = aggregates[aggregate].runs[index].last
    aggregates[aggregate].runs[index].last = key
    if order.isOutOfOrder(key, after: before) {
      fail(Aggregate.Disorder(order: order, key: key, before: before, subject: subject(of: scalar)))
    }
  }

  /// Adds the runs of the next slice to those of an open collection.
  mutating func merge(_ next: [Aggregate.SortedRun], into aggregate: Int) {
    for disorder in aggregates[aggregate].runs.append(next, program.constants.orders) { fail(disorder) }
  }

  private mutating func fail(_ disorder: Aggregate.Disorder) {
    let message = disorder.message(program, redacts: options.redacts)
    failSubject(disorder.subject, by: disorder.order.rule, active: 0, slot: 0, message)
  }
}
