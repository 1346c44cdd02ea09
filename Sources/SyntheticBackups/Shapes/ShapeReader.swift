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

  init(_ change: (inout Conjunction) -> Void) {
    var conjunction = Conjunction()
    change(&conjunction)
    self.init([conjunction])
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

/// Turns schemas into shapes: follows references, and multiplies out choices and conditions, so that a value that satisfies one
/// alternative satisfies the rules by construction.
///
/// Shapes can't express every rule (uniqueness, for example). A sample generated from the shapes is therefore validated.
final class ShapeReader {
  let rules: RuleDocument
  /// The version that the documents declare.
  let version: Int?
  private var known: [Key: Shape] = [:]
  private let recursive: RecursiveSchemas
  /// The nesting depth of the current schema, in values.
  private var level = 0
  /// True if some schemas were skipped because they are nested too deeply.
  private(set) var isTooDeep = false

  private struct Key: Hashable {
    let schema: Int
    let isNegated: Bool
    /// The number of recursive schemas around it.
    let depth: Int
  }

  /// The maximum depth of recursive schemas. Deeper ones are omitted from the output.
  private static let depthLimit = 7
  /// The maximum depth of all other schemas. Deeper ones are an error.
  static let levelLimit = 64
  /// The maximum length of a chain of references for one value.
  private static let chainLimit = 64

  init(_ rules: RuleDocument, version: Int?) {
    self.rules = rules
    self.version = version
    recursive = RecursiveSchemas(of: rules)
  }

  func shape(of schema: Int) -> Shape { shape(of: schema, isNegated: false, 0, 0) }

  /// Returns the shape of values that violate a schema, as far as shapes can express it.
  func negation(of schema: Int) -> Shape { shape(of: schema, isNegated: true, 0, 0) }

  private func shape(of schema: Int, isNegated: Bool, _ depth: Int, _ chain: Int) -> Shape {
    guard chain < Self.chainLimit else {
      isTooDeep = true
      return .nothing
    }
    guard depth < Self.depthLimit else { return .nothing }
    let key = Key(schema: schema, isNegated: isNegated, depth: depth)
    if let shape = known[key] { return shape }
    let keywords = rules.schemas[schema].keywords
    var shape: Shape
    if isNegated {
      shape = .nothing
      for keyword in keywords { shape = shape.or(negation(of: keyword.assertion, depth, chain + 1)) }
    } else {
      shape = .anything
      // Read `unevaluated…` last: only the other keywords show which members and items are left for it.
      for keyword in keywords where !keyword.assertion.isLast {
        shape = shape.and(self.shape(of: keyword.assertion, depth, chain + 1))
        if shape.isNothing { break }
      }
      for keyword in keywords where keyword.assertion.isLast {
        shape = shape.and(self.shape(of: keyword.assertion, depth, chain + 1))
      }
    }
    known[key] = shape
    return shape
  }

  private func inPlace(_ schema: Int, _ depth: Int, _ chain: Int) -> Shape { shape(of: schema, isNegated: false, depth, chain) }
  private func not(_ schema: Int, _ depth: Int, _ chain: Int) -> Shape { shape(of: schema, isNegated: true, depth, chain) }
  private func inner(_ schema: Int, _ depth: Int) -> Shape { inner(schema, isNegated: false, depth) }
  private func notInner(_ schema: Int, _ depth: Int) -> Shape { inner(schema, isNegated: true, depth) }

  /// Returns the shape of a member or an item. The depth grows only for recursive schemas.
  private func inner(_ schema: Int, isNegated: Bool, _ depth: Int) -> Shape {
    guard level < Self.levelLimit else {
      isTooDeep = true
      return .nothing
    }
    level += 1
    defer { level -= 1 }
    return shape(of: schema, isNegated: isNegated, recursive.contains(schema) ? depth + 1 : depth, 0)
  }

  // MARK: Keywords

  private func shape(of assertion: Schema.Assertion, _ depth: Int, _ chain: Int) -> Shape {
    switch assertion {
    case .never, .unusable: return .nothing
    case .types(let types): return Shape { $0.restrict(to: types) }
    case .values(let values):
      let values = values.map(JSONTree.init)
      return Shape {
        $0.values = values
        $0.types = values.reduce(into: TypeSet()) { $0.insert($1.type) }
      }
    case .equalsData(let data): return Shape { $0.equals = [data] }
    case .amongData(let data): return Shape { $0.among = [data] }
    case .bound(let comparison, .number(let value)): return Shape { $0.set(comparison, value) }
    case .bound(let comparison, .data(let data)): return Shape { $0.dataBounds = [(comparison, data)] }
    case .multipleOf(let divisor): return Shape { $0.divisors = [divisor] }
    case .length(let comparison, let count): return Shape { $0.length = comparison.range(count) }
    case .pattern(let pattern): return Shape { $0.patterns = [pattern] }
    case .format(let format): return Shape { $0.formats = [format] }
    case .formatBound(let format, let comparison, let operand):
      return Shape {
        $0.formats = [format]
        $0.formatBounds = [(comparison, operand)]
      }
    case .members(let members):
      return Shape {
        $0.members = members.named.map { Conjunction.Member(name: $0.name, shape: inner($0.schema, depth)) }
        $0.memberPatterns = members.patterns.map { ($0.pattern, inner($0.schema, depth)) }
        $0.additional = members.additional.map { inner($0, depth) }
      }
    case .memberNames(let schema): return Shape { $0.names = inner(schema, depth) }
    case .unevaluatedMembers(let schema): return Shape { $0.additional = inner(schema, depth) }
    case .unevaluatedItems(let schema): return Shape { $0.rest = inner(schema, depth) }
    case .memberCount(let comparison, let count): return Shape { $0.memberCount = comparison.range(count) }
    case .required(let names): return Shape { $0.required = names }
    case .items(let prefix, let rest):
      return Shape {
        $0.prefix = prefix.map { inner($0, depth) }
        $0.rest = rest.map { inner($0, depth) }
      }
    case .itemCount(let comparison, let count): return Shape { $0.itemCount = comparison.range(count) }
    case .contains(let contains):
      return Shape {
        $0.contains = [
          Conjunction.Contains(
            matching: inner(contains.schema, depth), other: notInner(contains.schema, depth), minimum: contains.minimum,
            maximum: contains.maximum)
        ]
      }
    case .uniqueItems: return Shape { $0.hasUniqueItems = true }
    case .uniqueKey(let key): return Shape { $0.keys = [key] }
    case .foreignKey(let key): return Shape { $0.references = [key] }
    case .sortedBy(let order): return Shape { $0.orders = [order] }
    case .countOf(let tokens): return Shape { $0.count = tokens }
    case .sumOf(let sum): return Shape { $0.sum = sum }
    case .containerEntry, .own: return .anything
    case .since(let first): return version.map { first > $0 } == true ? .nothing : .anything
    case .reference(let schema), .dynamicReference(let schema, _): return inPlace(schema, depth, chain)
    case .allOf(let parts): return parts.reduce(.anything) { $0.and(inPlace($1, depth, chain)) }
    case .anyOf(let parts): return parts.reduce(.nothing) { $0.or(inPlace($1, depth, chain)) }
    case .oneOf(let parts):
      return parts.reduce(.nothing) { sum, chosen in
        sum.or(parts.reduce(inPlace(chosen, depth, chain)) { $1 == chosen ? $0 : $0.and(not($1, depth, chain)) })
      }
    case .not(let schema): return not(schema, depth, chain)
    case .condition(let test, let then, let otherwise):
      let yes = then.map { inPlace(test, depth, chain).and(inPlace($0, depth, chain)) } ?? inPlace(test, depth, chain)
      let no = otherwise.map { not(test, depth, chain).and(inPlace($0, depth, chain)) } ?? not(test, depth, chain)
      return yes.or(no)
    case .dependentRequired(let dependencies):
      return dependencies.reduce(.anything) { shape, dependency in
        shape.and(Self.lacking(dependency.name).or(Shape { $0.required = [dependency.name] + dependency.required }))
      }
    case .dependentSchemas(let dependencies):
      return dependencies.reduce(.anything) { shape, dependency in
        let present = Shape { $0.required = [dependency.name] }.and(inPlace(dependency.schema, depth, chain))
        return shape.and(Self.lacking(dependency.name).or(present))
      }
    }
  }

  private static func lacking(_ name: String) -> Shape {
    Shape { $0.members = [Conjunction.Member(name: name, shape: .nothing)] }
  }

  /// Returns the shape of values that violate one keyword, or nothing if shapes can't express it.
  private func negation(of assertion: Schema.Assertion, _ depth: Int, _ chain: Int) -> Shape {
    switch assertion {
    case .never: return .anything
    case .types(let types):
      return Shape {
        $0.types = .everything.subtracting(types)
        $0.isFraction = types.contains(.integer) && !types.contains(.number)
      }.possible
    case .values(let values): return Shape { $0.excluded = values.map(JSONTree.init) }
    case .bound(let comparison, .number(let value)):
      return Shape {
        $0.types = .number
        $0.set(comparison.opposite, value)
      }
    case .bound(let comparison, .data(let data)):
      return Shape {
        $0.types = .number
        $0.dataBounds = [(comparison.opposite, data)]
      }
    case .length(let comparison, let count):
      guard let range = comparison.opposite.possibleRange(count) else { return .nothing }
      return Shape {
        $0.types = .string
        $0.length = range
      }
    case .itemCount(let comparison, let count):
      guard let range = comparison.opposite.possibleRange(count) else { return .nothing }
      return Shape {
        $0.types = .array
        $0.itemCount = range
      }
    case .pattern(let pattern):
      return Shape {
        $0.types = .string
        $0.refusedPatterns = [pattern]
      }
    case .format(let format):
      return Shape {
        $0.types = format.appliesToNumbers ? .number : .string
        $0.refusedFormats = [format]
      }
    case .formatBound(let format, let comparison, let operand):
      return Shape {
        $0.types = format.appliesToNumbers ? .number : .string
        $0.formats = [format]
        $0.formatBounds = [(comparison.opposite, operand)]
      }
    case .required(let names):
      return names.reduce(.nothing) { $0.or(Self.lacking($1).map { $0.types = .object }) }
    case .dependentRequired(let dependencies):
      return dependencies.reduce(.nothing) { shape, dependency in
        dependency.required.reduce(shape) { shape, name in
          shape.or(
            Self.lacking(name).map {
              $0.types = .object
              $0.required = [dependency.name]
            }.withPossibleRequired)
        }
      }
    case .members(let members):
      return members.named.reduce(.nothing) { shape, member in
        let value = notInner(member.schema, depth)
        guard !value.isNothing else { return shape }
        return shape.or(
          Shape {
            $0.types = .object
            $0.required = [member.name]
            $0.members = [Conjunction.Member(name: member.name, shape: value)]
          })
      }
    case .items(_, let rest?):
      let item = notInner(rest, depth)
      guard !item.isNothing else { return .nothing }
      return Shape {
        $0.types = .array
        $0.prefix = [item]
        $0.itemCount = 1...Int.max
      }
    case .reference(let schema), .dynamicReference(let schema, _): return not(schema, depth, chain)
    case .allOf(let parts): return parts.reduce(.nothing) { $0.or(not($1, depth, chain)) }
    case .anyOf(let parts), .oneOf(let parts): return parts.reduce(.anything) { $0.and(not($1, depth, chain)) }
    case .not(let schema): return inPlace(schema, depth, chain)
    case .condition(let test, let then, let otherwise):
      let yes = then.map { inPlace(test, depth, chain).and(not($0, depth, chain)) } ?? .nothing
      let no = otherwise.map { not(test, depth, chain).and(not($0, depth, chain)) } ?? .nothing
      return yes.or(no)
    default: return .nothing
    }
  }
}

extension Schema.Assertion {
  fileprivate var isLast: Bool {
    switch self {
    case .unevaluatedMembers, .unevaluatedItems: true
    default: false
    }
  }
}

extension Shape {
  fileprivate var possible: Shape { Shape(alternatives.filter { !$0.types.isEmpty }) }
  fileprivate var withPossibleRequired: Shape {
    Shape(alternatives.filter { alternative in !alternative.required.contains { alternative.shape(ofMember: $0).isNothing } })
  }
}

extension Conjunction {
  fileprivate mutating func restrict(to types: TypeSet) {
    var kinds = types.intersection(.everything)
    if types.contains(.integer), !types.contains(.number) {
      kinds.insert(.number)
      isInteger = true
    }
    self.types = kinds
  }

  fileprivate mutating func set(_ comparison: Comparison, _ value: ExactDecimal) {
    switch comparison {
    case .atLeast: lower = Limit(value: value, isExclusive: false)
    case .moreThan: lower = Limit(value: value, isExclusive: true)
    case .atMost: upper = Limit(value: value, isExclusive: false)
    case .lessThan: upper = Limit(value: value, isExclusive: true)
    }
  }
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

  /// Returns the counts that satisfy the comparison with `count`, or `nil` if none does.
  fileprivate func possibleRange(_ count: Int) -> ClosedRange<Int>? {
    switch self {
    case .atLeast: count...Int.max
    case .moreThan: count < .max ? count + 1...Int.max : nil
    case .atMost: 0...count
    case .lessThan: count > 0 ? 0...count - 1 : nil
    }
  }

  fileprivate func range(_ count: Int) -> ClosedRange<Int> { possibleRange(count) ?? 0...Int.max }
}
