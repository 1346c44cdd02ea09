import JSONEvents
import Rules

/// The constraints on one value, as alternatives of which it must satisfy one.
struct Shape: Sendable {
  private(set) var alternatives: [Conjunction]

  /// The maximum number of alternatives kept when conditions and choices are multiplied out. Dropped alternatives only reduce
  /// variety: each one is enough to satisfy the rules.
  private static let limit = 64

  static let anything = Shape([Conjunction()])
  static let nothing = Shape([])

  init(_ alternatives: [Conjunction]) { self.alternatives = Array(alternatives.prefix(Self.limit)) }

  /// Creates a shape with one alternative, or with none if that contradicts itself.
  init(_ change: (inout Conjunction) -> Void) {
    var conjunction = Conjunction()
    change(&conjunction)
    self.init(conjunction.settle() ? [conjunction] : [])
  }

  /// Creates the shape of one value.
  init(only value: JSONValue) {
    self.init {
      $0.values = [value]
      $0.types = value.kind.type
    }
  }

  var isNothing: Bool { alternatives.isEmpty }

  func and(_ other: Shape) -> Shape {
    var result: [Conjunction] = []
    for first in alternatives {
      for second in other.alternatives {
        if result.count == Self.limit { break }
        if let both = first.and(second) { result.append(both) }
      }
    }
    return Shape(result)
  }

  func or(_ other: Shape) -> Shape { Shape(alternatives + other.alternatives) }

  /// Returns the shape with a change applied to each alternative.
  func map(_ change: (inout Conjunction) -> Void) -> Shape {
    Shape(
      alternatives.map {
        var changed = $0
        change(&changed)
        return changed
      })
  }
}

/// The constraints on one value without alternatives: all of them hold at the same time.
struct Conjunction: Sendable {
  var types: TypeSet = .everything
  var values: [JSONValue]?
  /// The keywords that are neither multiplied out nor about members and items.
  var checks: [Check] = []

  var members: [(name: String, shape: Shape)] = []
  var required: [String] = []
  var memberPatterns: [(pattern: Pattern, shape: Shape)] = []
  /// The shape of members that no rule names, or `nil` if anything is allowed.
  var additional: Shape?
  var names: Shape?

  var prefix: [Shape] = []
  /// The shape of items after the prefix, or `nil` if anything is allowed.
  var rest: Shape?
  /// True if it must have an item: the first one, which violates `items`.
  var needsItem = false
  var contains: [Contains] = []
  /// True if the items are the members of an object of records, each with its name as the member `0#`.
  private(set) var isMap = false

  /// Schemas (`when`, `where`) that are known to hold, or to fail.
  var holds: Set<Int> = []
  var fails: Set<Int> = []

  /// A keyword that holds, or one that must not.
  struct Check: Sendable {
    let keyword: Schema.Keyword
    var holds = true
  }

  struct Contains: Sendable {
    var matching: Shape
    var other: Shape
    var minimum: Int
    var maximum: Int?
  }

  func shape(ofMember name: String) -> Shape { said(ofMember: name) ?? .anything }

  /// Returns the declared shape of a member, or `nil` if no rule applies to it.
  private func said(ofMember name: String) -> Shape? {
    var shape = members.first { $0.name == name }?.shape
    for (pattern, rule) in memberPatterns where pattern.matches(name) { shape = shape?.and(rule) ?? rule }
    return shape ?? additional
  }

  /// Returns true if the names of members may be this one.
  func allows(name: String) -> Bool { names?.alternatives.contains { $0.accepts(.string(name)) } ?? true }

  func shape(ofItem index: Int) -> Shape { said(ofItem: index) ?? .anything }

  private func said(ofItem index: Int) -> Shape? { index < prefix.count ? prefix[index] : rest }
}

extension TypeSet {
  static let everything: TypeSet = [.null, .boolean, .number, .string, .array, .object]
}

// MARK: Both at once

extension Conjunction {
  /// Returns the conjunction of both, or `nil` if no value can satisfy it.
  func and(_ other: Conjunction) -> Conjunction? {
    var both = self
    both.types = types.intersection(other.types)
    if let otherValues = other.values {
      both.values = values?.filter { value in otherValues.contains { $0.equals(value) } } ?? otherValues
    }
    both.checks += other.checks
    both.needsItem = needsItem || other.needsItem
    both.contains += other.contains
    both.holds.formUnion(other.holds)
    both.fails.formUnion(other.fails)
    guard both.holds.isDisjoint(with: both.fails) else { return nil }
    both.required += other.required.filter { !required.contains($0) }
    if !other.members.isEmpty || !other.memberPatterns.isEmpty || other.additional != nil || other.names != nil {
      // If one says nothing, the other's shape is reused: combining it again would double the time at each level.
      let names = members.map(\.name) + other.members.map(\.name).filter { name in !members.contains { $0.name == name } }
      both.members = names.map { name in
        (name, Self.both(said(ofMember: name), other.said(ofMember: name)) ?? .anything)
      }
      both.memberPatterns += other.memberPatterns
      both.additional = Self.both(additional, other.additional)
      both.names = Self.both(self.names, other.names)
    }
    both.prefix = (0..<max(prefix.count, other.prefix.count)).map {
      Self.both(said(ofItem: $0), other.said(ofItem: $0)) ?? .anything
    }
    both.rest = Self.both(rest, other.rest)
    return both.settle() ? both : nil
  }

  private static func both(_ a: Shape?, _ b: Shape?) -> Shape? {
    guard let a, let b else { return a ?? b }
    return a.and(b)
  }

  /// Removes types and values that contradict the rest, and returns whether any type is left.
  fileprivate mutating func settle() -> Bool {
    if let values {
      let possible = values.filter { value in types.contains(value.kind.type) && checks.allSatisfy { $0.passes(value) } }
      self.values = possible
      types.formIntersection(possible.reduce(into: TypeSet()) { $0.formUnion($1.kind.type) })
    }
    let few: [JSONValue] = [.null, .boolean(false), .boolean(true)]
    for type in [.null, .boolean] as [TypeSet] where types.contains(type) {
      if !few.contains(where: { $0.kind.type == type && accepts($0) }) { types.remove(type) }
    }
    if types.contains(.number), isWhole && isFraction || !areLimitsPossible { types.remove(.number) }
    if types.contains(.string), length.isEmpty { types.remove(.string) }
    if types.contains(.object),
      memberCount.isEmpty || required.count >= memberCount.upperBound
        || required.contains(where: { shape(ofMember: $0).isNothing })
    {
      types.remove(.object)
    }
    if types.contains(.array),
      itemCount.isEmpty || (0..<min(itemCount.lowerBound, 16)).contains(where: { shape(ofItem: $0).isNothing })
    {
      types.remove(.array)
    }
    return !types.isEmpty
  }
}

// MARK: What the keywords say

extension Conjunction {
  typealias Limit = (value: ExactDecimal, isExclusive: Bool)

  /// The lowest and the highest number allowed, also as a text.
  var limits: (lower: Limit?, upper: Limit?) {
    var limits: (lower: Limit?, upper: Limit?)
    for check in checks {
      switch check.keyword.assertion {
      case .bound(let comparison, .number(let value)), .formatBound(_, let comparison, .decimal(let value)):
        let comparison = check.holds ? comparison : comparison.opposite
        let limit = comparison.isLower ? limits.lower : limits.upper
        // The stricter one counts.
        if let limit, value == limit.value ? limit.isExclusive || !comparison.isStrict : !comparison.holds(value, limit.value) {
          continue
        }
        if comparison.isLower { limits.lower = (value, comparison.isStrict) } else { limits.upper = (value, comparison.isStrict) }
      default: break
      }
    }
    return limits
  }

  private var areLimitsPossible: Bool {
    guard let lower = limits.lower, let upper = limits.upper else { return true }
    return lower.value < upper.value || lower.value == upper.value && !lower.isExclusive && !upper.isExclusive
  }

  var formatBounds: [(comparison: Comparison, operand: Schema.FormatOperand)] {
    checks.compactMap { check in
      guard case .formatBound(_, let comparison, let operand) = check.keyword.assertion else { return nil }
      return (check.holds ? comparison : comparison.opposite, operand)
    }
  }

  /// The bounds of numbers and times that are other values of the document.
  var dataBounds: [(comparison: Comparison, data: Schema.DataReference)] {
    checks.compactMap { check in
      switch check.keyword.assertion {
      case .bound(let comparison, .data(let data)), .formatBound(_, let comparison, .data(let data)):
        (check.holds ? comparison : comparison.opposite, data)
      default: nil
      }
    }
  }

  var formats: [StringFormat] {
    checks.compactMap { check in
      switch check.keyword.assertion {
      case .format(let format): check.holds ? format : nil
      case .formatBound(let format, _, _): format
      default: nil
      }
    }
  }

  /// The number of characters. A limit of bytes is one of characters, too.
  var length: Range<Int> {
    range { if case .length(let comparison, let count) = $0 { (comparison, count) } else { $0.mostBytes.map { (.atMost, $0) } } }
  }
  var itemCount: Range<Int> {
    if isMap { return memberCount }
    return range(from: needsItem ? 1 : 0) {
      if case .itemCount(let comparison, let count) = $0 { (comparison, count) } else { nil }
    }
  }
  var memberCount: Range<Int> {
    range { if case .memberCount(let comparison, let count) = $0 { (comparison, count) } else { nil } }
  }

  /// Returns the counts that a keyword allows; the largest is taken as no limit.
  private func range(from least: Int = 0, _ read: (Schema.Assertion) -> (Comparison, Int)?) -> Range<Int> {
    var (low, end) = (least, Int.max)
    for check in checks {
      guard let (comparison, given) = read(check.keyword.assertion) else { continue }
      let count = min(given, .max - 1)
      switch check.holds ? comparison : comparison.opposite {
      case .atLeast: low = max(low, count)
      case .moreThan: low = max(low, count + 1)
      case .atMost: end = min(end, count + 1)
      case .lessThan: end = min(end, count)
      }
    }
    return low < end ? low..<end : end..<end
  }

  private func held<Fact>(_ read: (Schema.Assertion) -> Fact?) -> [Fact] {
    checks.compactMap { $0.holds ? read($0.keyword.assertion) : nil }
  }

  var divisors: [ExactDecimal] { held { if case .multipleOf(let divisor) = $0 { divisor } else { nil } } }
  var patterns: [Pattern] { held { if case .pattern(let pattern) = $0 { pattern } else { nil } } }
  var keys: [Schema.UniqueKey] { held { if case .uniqueKey(let key) = $0 { key } else { nil } } }
  var references: [Schema.ForeignKey] { held { if case .foreignKey(let key) = $0 { key } else { nil } } }
  var orders: [Schema.SortOrder] { held { if case .sortedBy(let order) = $0 { order } else { nil } } }
  var equals: Schema.DataReference? { held { if case .equalsData(let data) = $0 { data } else { nil } }.first }
  var among: Schema.DataReference? { held { if case .amongData(let data) = $0 { data } else { nil } }.first }
  var counted: [String]? { held { if case .countOf(let tokens) = $0 { tokens } else { nil } }.first }
  var sum: Schema.Sum? { held { if case .sumOf(let sum) = $0 { sum } else { nil } }.first }
  var hasUniqueItems: Bool { !held { if case .uniqueItems = $0 { true } else { nil } }.isEmpty }
  /// True if numbers must be integers, and if they must not.
  var isWhole: Bool { checks.contains { $0.isAboutIntegers && $0.holds } }
  var isFraction: Bool { checks.contains { $0.isAboutIntegers && !$0.holds } }
  /// True if a keyword constrains numbers, and if one constrains the characters of strings.
  var isAboutNumbers: Bool {
    checks.contains { check in
      switch check.keyword.assertion {
      case .bound, .multipleOf, .types, .countOf, .sumOf: true
      default: false
      }
    }
  }
  var isAboutTexts: Bool {
    checks.contains { check in
      switch check.keyword.assertion {
      case .pattern, .length: true
      default: check.keyword.assertion.mostBytes != nil
      }
    }
  }
  /// The rule that makes a string the name of a file.
  var fileRule: Check? { checks.first { if case .containerEntry = $0.keyword.assertion { true } else { false } } }
}

extension Comparison {
  var opposite: Comparison {
    switch self {
    case .atLeast: .lessThan
    case .moreThan: .atMost
    case .atMost: .moreThan
    case .lessThan: .atLeast
    }
  }

  var isLower: Bool { self == .atLeast || self == .moreThan }
  var isStrict: Bool { self == .moreThan || self == .lessThan }
}

// MARK: Single values

extension Conjunction {
  /// Returns true if a value satisfies the constraints on the value itself. Of arrays and objects, it checks only the type and
  /// fixed values, not the contents.
  func accepts(_ value: JSONValue) -> Bool {
    types.contains(value.kind.type) && (values?.contains { $0.equals(value) } ?? true) && checks.allSatisfy { $0.passes(value) }
  }

  func accepts(_ texts: [String]) -> Bool { texts.allSatisfy { accepts(.string($0)) } }
}

extension Conjunction.Check {
  fileprivate var isAboutIntegers: Bool { if case .types = keyword.assertion { true } else { false } }

  fileprivate func passes(_ value: JSONValue) -> Bool {
    switch (keyword.assertion, value) {
    case (.types, .number(let text)): ExactDecimal(text)?.isInteger == holds
    case (.values(let values), _): values.contains { $0.value.equals(value) } == holds
    case (.bound(let comparison, .number(let bound)), .number(let text)):
      ExactDecimal(text).map { comparison.holds($0, bound) } == holds
    case (.multipleOf(let divisor), .number(let text)): ExactDecimal(text)?.isMultiple(of: divisor) == holds
    case (.length(let comparison, let count), .string(let text)): comparison.holds(text.unicodeScalars.count, count) == holds
    case (.own, .string(let text)): keyword.assertion.mostBytes.map { (text.utf8.count <= $0) == holds } ?? true
    case (.pattern(let pattern), .string(let text)): pattern.matches(text) == holds
    case (.format(let format), .string(let text)): format.appliesToNumbers || format.accepts(text) == holds
    case (.format(let format), .number(let text)): !format.appliesToNumbers || format.accepts(text) == holds
    case (.formatBound(let format, _, _), .string(let text)): format.appliesToNumbers || format.accepts(text)
    default: true
    }
  }
}

extension Pattern {
  func matches(_ text: String) -> Bool { ByteView.with(text) { Matcher().match(self, in: $0) } == .match }
}

extension StringFormat {
  func accepts(_ text: String) -> Bool { ByteView.with(text) { accepts($0) } }
}

// MARK: Types that rules imply without a `type` keyword

extension Conjunction {
  /// True if the rules describe an object: no other type is allowed, or they constrain its members.
  var isAboutObjects: Bool {
    types == .object || types.contains(.object) && (!members.isEmpty || !required.isEmpty || memberCount.lowerBound > 0)
  }

  /// True if its items are records: objects, or values with members that keys, references or orders use.
  var holdsRecords: Bool {
    guard let rest else { return !recordFields.isEmpty }
    return rest.alternatives.contains { $0.isAboutObjects || !recordFields.isEmpty && $0.types.contains(.object) }
  }

  /// True if keys, references or an order concern its items or members.
  var hasRulesOfRecords: Bool { !keys.isEmpty || !references.isEmpty || !orders.isEmpty }

  /// An object of records as an array of them, or `nil` if the object can't be one: generating and planting are the same for both.
  var mapAsArray: Conjunction? {
    guard types.contains(.object), members.isEmpty, memberPatterns.isEmpty, required.isEmpty, values == nil, let additional else {
      return nil
    }
    let text = Shape { $0.types = .string }
    let name = names.map { $0.and(text) } ?? text
    var array = self
    array.isMap = true
    array.types = .array
    array.rest = additional.map { record in
      record.types.formIntersection(.object)
      record.members.insert((Schema.recordName, name), at: 0)
      record.required.insert(Schema.recordName, at: 0)
    }
    return array
  }

  /// The members of its items that keys, references and orders use.
  var recordFields: [String] {
    var names: [String] = []
    for field in keys.flatMap(\.fields) + references.flatMap(\.fields) + orders.map(\.field) {
      if field.count == 1, let name = field.first, name != "*", !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Adds members that no rule describes yet.
  mutating func mention(_ names: [String]) {
    for name in names where types.contains(.object) && !members.contains(where: { $0.name == name }) && !required.contains(name) {
      members.append((name, shape(ofMember: name)))
    }
  }
}
