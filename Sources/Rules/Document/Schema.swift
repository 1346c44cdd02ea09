package import Findings
package import JSONEvents

/// One schema object (or boolean) of a rule document: its keywords, read and checked, with their places.
///
/// Schemas refer to each other by their index in ``RuleDocument/schemas``.
package struct Schema: Sendable {
  package var origin: Origin
  /// The resource that it belongs to: an index into `RuleDocument.resources`.
  package var resource = 0
  package var grading = Grading()
  package var keywords: [Keyword] = []

  /// Where something stands that rules say.
  package struct Origin: Sendable {
    /// The URI of the document, if that isn't the rule document itself.
    package var document: String?
    package var pointer: String
    package var position: TextPosition

    /// A JSON Pointer into the rule document, or a URI with one.
    package var location: String { document.map { "\($0)#\(pointer)" } ?? pointer }

    package func error(_ message: String) -> RuleCompileError {
      RuleCompileError(message, at: pointer, position, in: document)
    }
  }

  /// How findings are graded, named and worded.
  package struct Grading: Sendable {
    package var severity: Severity = .error
    package var code: String?
    package var message: String?

    package init(severity: Severity = .error, code: String? = nil, message: String? = nil) {
      self.severity = severity
      self.code = code
      self.message = message
    }
  }

  package struct Keyword: Sendable {
    package var name: String
    package var origin: Origin
    package var assertion: Assertion
    /// Differs from the schema's own where an entry of `uniqueKeys` or `foreignKeys` has words of its own.
    package var grading: Grading
  }

  /// A payload of more than a word is indirect, so that keywords stay small. Those of a word keep the pointers to the others free of tags, which
  /// LeakSanitizer would not take for pointers.
  package enum Assertion: Sendable {
    /// The schema `false`.
    case never
    case types(TypeSet)
    case values([JSONValue.Located])
    indirect case equalsData(DataReference)
    /// One of the items of an array elsewhere.
    indirect case amongData(DataReference)

    indirect case bound(Comparison, NumericOperand)
    indirect case multipleOf(ExactDecimal)
    indirect case length(Comparison, Int)
    indirect case pattern(Pattern)
    case format(StringFormat)
    indirect case formatBound(StringFormat, Comparison, FormatOperand)

    indirect case members(Members)
    case memberNames(Int)
    indirect case memberCount(Comparison, Int)
    case required([String])
    case dependentRequired([(name: String, required: [String])])
    case dependentSchemas([(name: String, schema: Int)])
    /// Schemas of the first items, and of all others.
    indirect case items(prefix: [Int], rest: Int?)
    indirect case itemCount(Comparison, Int)
    indirect case contains(Contains)
    case uniqueItems
    case unevaluatedMembers(Int)
    case unevaluatedItems(Int)

    case reference(Int)
    /// As `reference`, unless a resource on the way to here has an anchor of that name: then to the outermost one's.
    indirect case dynamicReference(Int, anchor: ExactText)
    case allOf([Int])
    case anyOf([Int])
    case oneOf([Int])
    case not(Int)
    indirect case condition(if: Int, then: Int?, else: Int?)

    indirect case uniqueKey(UniqueKey)
    indirect case foreignKey(ForeignKey)
    case countOf([String])
    indirect case sumOf(Sum)
    indirect case containerEntry(ContainerEntry)
    /// The member came with this version of the format.
    case since(Int)
  }

  /// `properties`, `patternProperties` and `additionalProperties` of one schema object.
  package struct Members: Sendable {
    package var named: [(name: String, schema: Int)] = []
    package var patterns: [(pattern: Pattern, schema: Int)] = []
    package var additional: Int?
  }

  package struct Contains: Sendable {
    package var schema: Int
    package var minimum: Int
    package var maximum: Int?
    /// Whether items that match are evaluated, for `unevaluatedItems`: since 2020-12.
    package var evaluates = true
  }

  /// A field of a record: its name, or the names that lead to it; `*` stands for each item of an array.
  package typealias FieldPath = [String]

  /// How a finding is graded in a case that matters less.
  package enum Leniency: Sendable, Equatable {
    case graded(Severity)
    /// Nothing is found.
    case passed

    init?(name: String) {
      if name == "none" {
        self = .passed
      } else if let severity = Severity(rawValue: name) {
        self = .graded(severity)
      } else {
        return nil
      }
    }
  }

  package struct UniqueKey: Sendable {
    package var fields: [FieldPath]
    /// Whether strings are equal whose small letters are.
    package var ignoresCase = false
    package var isPrimary = false
    /// Whether the records of all arrays count together that stand where this one does.
    package var spansArrays = false
    /// Whether dates and times are equal that are the same instant.
    package var comparesInstants = false
    /// What a record must satisfy for its key to count.
    package var whenSchema: Int?
    /// How a duplicate is graded whose record equals an earlier one of the same key; `nil`: as any other.
    package var ifEqual: Leniency?
  }

  package struct ForeignKey: Sendable {
    package var fields: [FieldPath]
    /// Whether strings are equal whose small letters are.
    package var ignoresCase = false
    /// The collections that may define the key: one of them has to.
    package var targets: [Target]
    /// What the referencing record must satisfy for the key to be checked.
    package var whenSchema: Int?
    /// What dangling references come to where one of the collections that say so holds no record at all; `nil`: the same as elsewhere.
    package var ifEmpty: IfEmpty?
    /// The field that findings point at.
    package var findingField: FieldPath

    package struct IfEmpty: Sendable, Equatable {
      package var leniency: Leniency
      /// It counts for documents of earlier versions than this; `nil`: for all.
      package var before: Int?
    }

    package struct Target: Sendable {
      package var resource: Resource
      /// Empty: the items themselves are the keys.
      package var fields: [FieldPath]
      /// What the referenced record must satisfy.
      package var whereSchema: Int?
      /// Whether `ifEmpty` is about this collection.
      package var gradesIfEmpty = false
    }
  }

  /// Where a collection stands, token by token; `*` stands for any item.
  package enum Resource: Sendable, Hashable {
    case root([String])
    /// From the container that many levels above the field: 1 is the record itself.
    case relative(levels: Int, [String])

    package var text: String {
      switch self {
      case .root(let tokens): tokens.map { "/" + $0.pointerToken }.joined()
      case .relative(let levels, let tokens): "\(levels)" + tokens.map { "/" + $0.pointerToken }.joined()
      }
    }
  }

  /// Numbers whose sum a number must be.
  package struct Sum: Sendable {
    package var values: Resource
    package var tolerance: ExactDecimal?
    /// As the rule document spells the place, for messages.
    package var text: String
  }

  package enum NumericOperand: Sendable {
    case number(ExactDecimal)
    case data(DataReference)
  }

  package enum FormatOperand: Sendable {
    case instant(Instant)
    case now(CalendarDuration?)
    case decimal(ExactDecimal)
    case data(DataReference)
  }

  /// A value elsewhere in the document that a keyword compares with.
  package struct DataReference: Sendable, Hashable {
    package enum Origin: Sendable, Hashable {
      /// A field of the object that many levels up: 1 is the object that holds the value.
      case ancestor(levels: Int, field: String)
      /// A place counted from the root.
      case root([String])
    }

    package var origin: Origin
    package var plus: CalendarDuration?
    /// What stands before the other value, if both are strings.
    package var prefix: String?
    /// As the rule document spells it, for messages.
    package var text: String
  }
}

/// How a value must stand to an operand.
package enum Comparison: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case atLeast, moreThan, atMost, lessThan

  package func holds<Value: Comparable>(_ value: Value, _ operand: Value) -> Bool {
    switch self {
    case .atLeast: value >= operand
    case .moreThan: value > operand
    case .atMost: value <= operand
    case .lessThan: value < operand
    }
  }

  package var words: String {
    switch self {
    case .atLeast: "at least"
    case .moreThan: "more than"
    case .atMost: "at most"
    case .lessThan: "less than"
    }
  }
}

/// The types that a value may have.
package struct TypeSet: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let null = TypeSet(rawValue: 1)
  package static let boolean = TypeSet(rawValue: 2)
  package static let number = TypeSet(rawValue: 4)
  package static let string = TypeSet(rawValue: 8)
  package static let array = TypeSet(rawValue: 16)
  package static let object = TypeSet(rawValue: 32)
  package static let integer = TypeSet(rawValue: 64)

  /// The types of values that both sets allow. An integer is a number.
  package func meet(_ other: TypeSet) -> TypeSet {
    func withIntegers(_ types: TypeSet) -> TypeSet { types.contains(.number) ? types.union(.integer) : types }
    let both = withIntegers(self).intersection(withIntegers(other))
    return both.contains(.number) ? both.subtracting(.integer) : both
  }

  package static let names: [(name: String, type: TypeSet)] = [
    ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string), ("array", .array),
    ("object", .object),
  ]

  package var description: String {
    Self.names.filter { contains($0.type) }.map(\.name).joined(separator: " or ")
  }
}
