import JSONEvents
import Rules

/// The constraints on one value without alternatives: all of them hold at the same time.
struct Conjunction: Sendable {
  var types: TypeSet = .everything
  /// True if numbers must be integers.
  var isInteger = false
  /// True if numbers must not be integers.
  var isFraction = false
  var values: [JSONTree]?
  var excluded: [JSONTree] = []

  var lower: Limit?
  var upper: Limit?
  var divisors: [ExactDecimal] = []
  /// Bounds of numbers that are other values of the document.
  var dataBounds: [(comparison: Comparison, data: Schema.DataReference)] = []
  var equals: [Schema.DataReference] = []
  var among: [Schema.DataReference] = []

  var length = 0...Int.max
  var patterns: [Pattern] = []
  var refusedPatterns: [Pattern] = []
  var formats: [StringFormat] = []
  var refusedFormats: [StringFormat] = []
  var formatBounds: [(comparison: Comparison, operand: Schema.FormatOperand)] = []

  var members: [Member] = []
  var required: [String] = []
  var memberPatterns: [(pattern: Pattern, shape: Shape)] = []
  /// The shape of members that no rule names, or `nil` if anything is allowed.
  var additional: Shape?
  var names: Shape?
  var memberCount = 0...Int.max

  var prefix: [Shape] = []
  /// The shape of items after the prefix, or `nil` if anything is allowed.
  var rest: Shape?
  var itemCount = 0...Int.max
  var contains: [Contains] = []
  var hasUniqueItems = false
  var keys: [Schema.UniqueKey] = []
  var references: [Schema.ForeignKey] = []
  var orders: [Schema.SortOrder] = []

  var count: [String]?
  var sum: Schema.Sum?

  /// Schemas (`when`, `where`) that are known to hold, or to fail.
  var holds: Set<Int> = []
  var fails: Set<Int> = []

  struct Limit: Sendable {
    var value: ExactDecimal
    var isExclusive: Bool
  }

  struct Member: Sendable {
    var name: String
    var shape: Shape
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
    for (pattern, rule) in memberPatterns where ByteView.with(name, { Pattern.Matcher().match(pattern, in: $0) }) == .match {
      shape = shape.map { $0.and(rule) } ?? rule
    }
    return shape ?? additional
  }

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
    both.isInteger = isInteger || other.isInteger
    both.isFraction = isFraction || other.isFraction
    both.excluded += other.excluded
    both.lower = Self.stricter(lower, other.lower) { $0 < $1 }
    both.upper = Self.stricter(upper, other.upper) { $1 < $0 }
    both.divisors += other.divisors
    both.dataBounds += other.dataBounds
    both.equals += other.equals
    both.among += other.among
    both.patterns += other.patterns
    both.refusedPatterns += other.refusedPatterns
    both.formats += other.formats.filter { !formats.contains($0) }
    both.refusedFormats += other.refusedFormats
    both.formatBounds += other.formatBounds
    both.references += other.references
    both.keys += other.keys
    both.orders += other.orders
    both.contains += other.contains
    both.hasUniqueItems = hasUniqueItems || other.hasUniqueItems
    both.count = count ?? other.count
    both.sum = sum ?? other.sum
    both.holds.formUnion(other.holds)
    both.fails.formUnion(other.fails)
    guard let length = Self.overlap(length, other.length), let members = Self.overlap(memberCount, other.memberCount),
      let items = Self.overlap(itemCount, other.itemCount), both.holds.isDisjoint(with: both.fails)
    else { return nil }
    (both.length, both.memberCount, both.itemCount) = (length, members, items)
    both.values = values
    if let otherValues = other.values {
      both.values = values?.filter { value in otherValues.contains { $0.equals(value) } } ?? otherValues
    }
    both.joinMembers(self, other)
    // If one says nothing, the other's shape is reused: combining it again would double the time at each level.
    both.prefix = (0..<max(prefix.count, other.prefix.count)).map {
      Self.both(said(ofItem: $0), other.said(ofItem: $0)) ?? .anything
    }
    both.rest = Self.both(rest, other.rest)
    return both.isPossible(after: other) ? both : nil
  }

  private mutating func joinMembers(_ a: Conjunction, _ b: Conjunction) {
    required = a.required + b.required.filter { !a.required.contains($0) }
    guard !b.members.isEmpty || !b.memberPatterns.isEmpty || b.additional != nil || b.names != nil else { return }
    var joined: [Member] = []
    for member in a.members {
      joined.append(
        Member(name: member.name, shape: Self.both(a.said(ofMember: member.name), b.said(ofMember: member.name)) ?? .anything))
    }
    for member in b.members where !a.members.contains(where: { $0.name == member.name }) {
      joined.append(
        Member(name: member.name, shape: Self.both(a.said(ofMember: member.name), b.said(ofMember: member.name)) ?? .anything))
    }
    members = joined
    memberPatterns = a.memberPatterns + b.memberPatterns
    additional = Self.both(a.additional, b.additional)
    names = Self.both(a.names, b.names)
  }

  private static func both(_ a: Shape?, _ b: Shape?) -> Shape? {
    guard let a, let b else { return a ?? b }
    return a.and(b)
  }

  private static func stricter(_ a: Limit?, _ b: Limit?, _ isLooser: (ExactDecimal, ExactDecimal) -> Bool) -> Limit? {
    guard let a, let b else { return a ?? b }
    if a.value == b.value { return a.isExclusive ? a : b }
    return isLooser(a.value, b.value) ? b : a
  }

  private static func overlap(_ a: ClosedRange<Int>, _ b: ClosedRange<Int>) -> ClosedRange<Int>? {
    let (low, high) = (max(a.lowerBound, b.lowerBound), min(a.upperBound, b.upperBound))
    return low <= high ? low...high : nil
  }

  /// Removes types and values that contradict the rest, and returns whether any type is left.
  private mutating func isPossible(after other: Conjunction) -> Bool {
    if let values {
      let possible = values.filter { accepts($0) }
      self.values = possible
      types.formIntersection(possible.reduce(into: TypeSet()) { $0.insert($1.type) })
      if possible.isEmpty { return false }
    }
    if isInteger, isFraction { types.remove(.number) }
    if types.contains(.number), let lower, let upper {
      if upper.value < lower.value || lower.value == upper.value && (lower.isExclusive || upper.isExclusive) {
        types.remove(.number)
      }
    }
    if types.contains(.object) {
      if required.contains(where: { shape(ofMember: $0).isNothing }) || required.count > memberCount.upperBound {
        types.remove(.object)
      }
    }
    if types.contains(.array), itemCount.lowerBound > 0,
      (0..<min(itemCount.lowerBound, 16)).contains(where: { shape(ofItem: $0).isNothing })
    {
      types.remove(.array)
    }
    return !types.isEmpty
  }
}

// MARK: Single values

extension Conjunction {
  /// Returns true if a value satisfies the constraints on the value itself. Of arrays and objects, it checks only the type and
  /// fixed values, not the contents.
  func accepts(_ value: JSONTree) -> Bool {
    guard types.contains(value.type), !excluded.contains(where: { $0.equals(value) }) else { return false }
    if let values, !values.contains(where: { $0.equals(value) }) { return false }
    switch value {
    case .number(let text):
      guard let number = ExactDecimal(text) else { return false }
      if number.isInteger ? isFraction : isInteger { return false }
      if let lower, number < lower.value || lower.isExclusive && number == lower.value { return false }
      if let upper, upper.value < number || upper.isExclusive && number == upper.value { return false }
      if divisors.contains(where: { !number.isMultiple(of: $0) }) { return false }
      return acceptsForm(of: text, isNumber: true)
    case .string(let text):
      guard length.contains(text.unicodeScalars.count) else { return false }
      let matcher = Pattern.Matcher()
      func matches(_ pattern: Pattern) -> Bool { ByteView.with(text) { matcher.match(pattern, in: $0) } == .match }
      return patterns.allSatisfy(matches) && !refusedPatterns.contains(where: matches) && acceptsForm(of: text, isNumber: false)
    default: return true
    }
  }

  private func acceptsForm(of text: String, isNumber: Bool) -> Bool {
    func has(_ format: StringFormat) -> Bool {
      format.appliesToNumbers != isNumber || ByteView.with(text) { format.accepts($0) }
    }
    return formats.allSatisfy(has)
      && !refusedFormats.contains { $0.appliesToNumbers == isNumber && has($0) }
  }
}

/// Types that rules imply without a `type` keyword.
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
      members.append(Member(name: name, shape: shape(ofMember: name)))
    }
  }
}
