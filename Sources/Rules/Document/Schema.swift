package import Findings
package import JSONEvents

/// One schema object (or boolean) of a rule document: its keywords, read and checked, with their places.
///
/// Schemas refer to each other by their index in ``RuleDocument/schemas``.
package struct Schema: Sendable {
  /// Where it stands in the rule document.
  package var pointer: String
  package var position: TextPosition
  package var grading = Grading()
  package var keywords: [Keyword] = []

  /// How findings are graded, named and worded.
  package struct Grading: Sendable {
    package var severity: Severity = .error
    package var code: String?
    package var message: String?
  }

  package struct Keyword: Sendable {
    package var name: String
    package var pointer: String
    package var assertion: Assertion
    /// Differs from the schema's own where an entry of `uniqueKeys` or `foreignKeys` has words of its own.
    package var grading: Grading
  }

  package indirect enum Assertion: Sendable {
    /// The schema `false`.
    case never
    case types(TypeSet)
    case values([JSONValue.Located])
    case equalsData(DataReference)

    case bound(Comparison, NumericOperand)
    case multipleOf(ExactDecimal)
    case length(Comparison, Int)
    case pattern(Pattern)
    case format(StringFormat)
    case formatBound(StringFormat, Comparison, FormatOperand)

    case properties([(name: String, schema: Int)], additional: Int?)
    case required([String])
    case items(Int)
    case itemCount(Comparison, Int)
    case contains(Int, minimum: Int, maximum: Int?)

    case reference(Int)
    case allOf([Int])
    case anyOf([Int])
    case oneOf([Int])
    case not(Int)
    case condition(if: Int, then: Int?, else: Int?)

    case uniqueKey(fields: [String], ignoresCase: Bool, isPrimary: Bool)
    case foreignKey(ForeignKey)
    case countOf([String])
    /// The member came with this version of the format.
    case since(Int)
  }

  package struct ForeignKey: Sendable {
    package var fields: [String]
    /// The pointer of the collection that defines the keys, token by token; `*` stands for any item.
    package var resource: [String]
    package var referencedFields: [String]
    /// What the referenced record must satisfy.
    package var whereSchema: Int?
    /// What the referencing record must satisfy for the key to be checked.
    package var whenSchema: Int?
    /// The field that findings point at.
    package var findingField: String
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
    /// As the rule document spells it, for messages.
    package var text: String
  }
}

/// How a value must stand to an operand.
package enum Comparison: UInt8, Sendable, BitwiseCopyable {
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

  package static let names: [(name: String, type: TypeSet)] = [
    ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string), ("array", .array),
    ("object", .object),
  ]

  package var description: String {
    Self.names.filter { contains($0.type) }.map(\.name).joined(separator: " or ")
  }
}
