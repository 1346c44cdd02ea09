import JSONEvents
import Rules

/// Turns schemas into shapes: follows references, and multiplies out choices and conditions, so that a value that satisfies one
/// alternative satisfies the rules by construction.
///
/// Shapes can't express every rule (uniqueness, for example). A sample generated from the shapes is therefore validated.
final class ShapeReader {
  let rules: RuleDocument
  /// The version that the documents declare.
  let version: Int?
  /// By schema, negation and depth.
  private var known: [[Int]: Shape] = [:]
  private let recursive: Set<Int>
  private let maps: Set<[String]>
  /// The nesting depth of the current schema, in values.
  private var level = 0
  /// The number of recursive schemas around the current one.
  private var depth = 0
  /// The number of references that led to the current schema, for one value.
  private var chain = 0
  /// True if some schemas were skipped because they are nested too deeply.
  private(set) var isTooDeep = false

  /// The maximum depth of recursive schemas. Deeper ones are omitted from the output.
  private static let depthLimit = 7
  /// The maximum depth of all other schemas. Deeper ones are an error.
  static let levelLimit = 64
  /// The maximum length of a chain of references for one value.
  private static let chainLimit = 64

  init(_ rules: RuleDocument, version: Int?) {
    self.rules = rules
    self.version = version
    recursive = Self.recursive(in: rules)
    maps = Set(rules.collections.filter { $0.kind == .object }.compactMap { $0.pointer.pointerTokens })
  }

  /// True if the rules describe an object of records there.
  func isMap(at path: [String]) -> Bool { maps.contains(path) }

  func shape(of schema: Int) -> Shape { shape(of: schema, isNegated: false) }

  /// Returns the shape of values that violate a schema, as far as shapes can express it.
  func negation(of schema: Int) -> Shape { shape(of: schema, isNegated: true) }

  private func shape(of schema: Int, isNegated: Bool) -> Shape {
    guard chain < Self.chainLimit else {
      isTooDeep = true
      return .nothing
    }
    guard depth < Self.depthLimit else { return .nothing }
    let key = [schema, isNegated ? 1 : 0, depth]
    if let shape = known[key] { return shape }
    chain += 1
    defer { chain -= 1 }
    let keywords = rules.schemas[schema].keywords
    var shape: Shape
    if isNegated {
      shape = keywords.reduce(.nothing) { $0.or(negation(of: $1)) }
    } else {
      shape = .anything
      // Read `unevaluated…` last: only the other keywords show which members and items are left for it.
      for keyword in keywords.filter({ !$0.isLast }) + keywords.filter(\.isLast) where !shape.isNothing {
        shape = shape.and(self.shape(of: keyword))
      }
    }
    known[key] = shape
    return shape
  }

  /// Returns the shape of a member or an item. The depth grows only for recursive schemas.
  private func inner(_ schema: Int, isNegated: Bool = false) -> Shape {
    guard level < Self.levelLimit else {
      isTooDeep = true
      return .nothing
    }
    let (outerDepth, outerChain) = (depth, chain)
    level += 1
    if recursive.contains(schema) { depth += 1 }
    chain = 0
    defer { (level, depth, chain) = (level - 1, outerDepth, outerChain) }
    return shape(of: schema, isNegated: isNegated)
  }

  // MARK: Keywords

  private func shape(of keyword: Schema.Keyword) -> Shape {
    switch keyword.assertion {
    case .never, .unusable: return .nothing
    case .types(let types):
      return Shape {
        $0.types = types.contains(.integer) ? types.intersection(.everything).union(.number) : types
        if types.isAboutIntegers { $0.checks = [Conjunction.Check(keyword: keyword)] }
      }
    case .values(let values):
      return Shape {
        $0.values = values.map(\.value)
        $0.types = values.reduce(into: TypeSet()) { $0.formUnion($1.value.kind.type) }
      }
    case .members(let members):
      return Shape {
        $0.members = members.named.map { ($0.name, inner($0.schema)) }
        $0.memberPatterns = members.patterns.map { ($0.pattern, inner($0.schema)) }
        $0.additional = members.additional.map { inner($0) }
      }
    case .memberNames(let schema): return Shape { $0.names = inner(schema) }
    case .unevaluatedMembers(let schema): return Shape { $0.additional = inner(schema) }
    case .unevaluatedItems(let schema): return Shape { $0.rest = inner(schema) }
    case .required(let names): return Shape { $0.required = names }
    case .items(let prefix, let rest):
      return Shape {
        $0.prefix = prefix.map { inner($0) }
        $0.rest = rest.map { inner($0) }
      }
    case .contains(let contains):
      return Shape {
        $0.contains = [
          Conjunction.Contains(
            matching: inner(contains.schema), other: inner(contains.schema, isNegated: true), minimum: contains.minimum,
            maximum: contains.maximum)
        ]
      }
    case .since(let first): return version.map { first > $0 } == true ? .nothing : .anything
    case .reference(let schema), .dynamicReference(let schema, _): return shape(of: schema)
    case .allOf(let parts): return parts.reduce(.anything) { $0.and(shape(of: $1)) }
    case .anyOf(let parts): return parts.reduce(.nothing) { $0.or(shape(of: $1)) }
    case .oneOf(let parts):
      return parts.reduce(.nothing) { sum, chosen in
        sum.or(parts.reduce(shape(of: chosen)) { $1 == chosen ? $0 : $0.and(negation(of: $1)) })
      }
    case .not(let schema): return negation(of: schema)
    case .condition(let test, let then, let otherwise):
      let yes = then.map { shape(of: test).and(shape(of: $0)) } ?? shape(of: test)
      let no = otherwise.map { negation(of: test).and(shape(of: $0)) } ?? negation(of: test)
      return yes.or(no)
    case .dependentRequired(let dependencies):
      return dependencies.reduce(.anything) { shape, dependency in
        shape.and(Self.lacking(dependency.name).or(Shape { $0.required = [dependency.name] + dependency.required }))
      }
    case .dependentSchemas(let dependencies):
      return dependencies.reduce(.anything) { result, dependency in
        let present = Shape { $0.required = [dependency.name] }.and(shape(of: dependency.schema))
        return result.and(Self.lacking(dependency.name).or(present))
      }
    default: return Shape { $0.checks = [Conjunction.Check(keyword: keyword)] }
    }
  }

  private static func lacking(_ name: String) -> Shape { Shape { $0.members = [(name, .nothing)] } }

  /// Returns the shape of values that violate one keyword, or nothing if shapes can't express it.
  private func negation(of keyword: Schema.Keyword) -> Shape {
    func refused(_ types: TypeSet) -> Shape {
      Shape {
        $0.types = types
        $0.checks = [Conjunction.Check(keyword: keyword, holds: false)]
      }
    }
    func object(_ name: String, _ shape: Shape, requires required: [String]) -> Shape {
      Shape {
        $0.types = .object
        $0.required = required
        $0.members = [(name, shape)]
      }
    }
    switch keyword.assertion {
    case .never: return .anything
    case .types(let types):
      let others = TypeSet.everything.subtracting(types)
      return types.isAboutIntegers ? refused(others) : Shape { $0.types = others }
    case .values: return refused(.everything)
    case .bound: return refused(.number)
    case .length, .pattern: return refused(.string)
    case .own where keyword.assertion.mostBytes != nil: return refused(.string)
    case .itemCount: return refused(.array)
    case .format(let format), .formatBound(let format, _, _): return refused(format.appliesToNumbers ? .number : .string)
    case .required(let names): return names.reduce(.nothing) { $0.or(object($1, .nothing, requires: [])) }
    case .dependentRequired(let dependencies):
      return dependencies.reduce(.nothing) { shape, dependency in
        dependency.required.reduce(shape) { $0.or(object($1, .nothing, requires: [dependency.name])) }
      }
    case .members(let members):
      return members.named.reduce(.nothing) { shape, member in
        shape.or(object(member.name, inner(member.schema, isNegated: true), requires: [member.name]))
      }
    case .items(_, let rest?):
      let item = inner(rest, isNegated: true)
      guard !item.isNothing else { return .nothing }
      return Shape {
        $0.types = .array
        $0.prefix = [item]
        $0.needsItem = true
      }
    case .reference(let schema), .dynamicReference(let schema, _): return negation(of: schema)
    case .allOf(let parts): return parts.reduce(.nothing) { $0.or(negation(of: $1)) }
    case .anyOf(let parts), .oneOf(let parts): return parts.reduce(.anything) { $0.and(negation(of: $1)) }
    case .not(let schema): return shape(of: schema)
    case .condition(let test, let then, let otherwise):
      let yes = then.map { shape(of: test).and(negation(of: $0)) } ?? .nothing
      let no = otherwise.map { negation(of: test).and(negation(of: $0)) } ?? .nothing
      return yes.or(no)
    default: return .nothing
    }
  }
}

extension TypeSet {
  /// True if numbers must be integers.
  fileprivate var isAboutIntegers: Bool { contains(.integer) && !contains(.number) }
}

extension Schema.Keyword {
  fileprivate var isLast: Bool {
    switch assertion {
    case .unevaluatedMembers, .unevaluatedItems: true
    default: false
    }
  }
}

// MARK: Recursion

extension ShapeReader {
  /// Returns the schemas that lead to a circle of schemas and that one leads to: those of all circles, and of the ways between them.
  private static func recursive(in rules: RuleDocument) -> Set<Int> {
    let inner = rules.schemas.map { schema in schema.keywords.flatMap(\.assertion.subschemas) }
    var outer: [[Int]] = Array(repeating: [], count: inner.count)
    for (schema, parts) in inner.enumerated() { for part in parts { outer[part].append(schema) } }
    return leadingToCircles(by: inner, back: outer).intersection(leadingToCircles(by: outer, back: inner))
  }

  /// Removes the schemas that lead nowhere, then those that only led to them, until the rest lead to each other forever.
  private static func leadingToCircles(by ways: [[Int]], back: [[Int]]) -> Set<Int> {
    var open = ways.map(\.count)
    var ends = open.indices.filter { open[$0] == 0 }
    while let end = ends.popLast() {
      for schema in back[end] {
        open[schema] -= 1
        if open[schema] == 0 { ends.append(schema) }
      }
    }
    return Set(open.indices.filter { open[$0] > 0 })
  }
}
