package import ByteStreams
package import Findings
import JSONEvents

/// One schema object (or boolean) of a rule document: its keywords, read and checked, with their places.
///
/// Schemas refer to each other by their index in ``RuleDocument/schemas``.
package struct Schema: Sendable {
  package var origin: Origin
  /// The schema's resource, in the sense of JSON Schema: an index into `SchemaDocuments.resources`.
  package var resource = 0
  /// Its title, which names it among alternatives.
  package var title: String?
  package var grading = Grading()
  package var keywords: [Keyword] = []

  /// The source location of a rule.
  package struct Origin: Sendable {
    /// The URI of the document, if it isn't the rule document itself.
    package var document: String?
    package var pointer: String
    package var position: TextPosition

    /// A JSON Pointer into the rule document, or a URI with a pointer.
    package var location: String { document.map { "\($0)#\(pointer)" } ?? pointer }

    package func error(_ message: String) -> CofferError {
      CofferError(rules: message, at: pointer, position, in: document)
    }

    /// Creates a finding about the rule document itself: its place and its schema location are both this one.
    package func finding(code: String, keyword: String, severity: Severity = .warning, _ message: String) -> Finding {
      Finding(
        code: code, keyword: keyword, severity: severity, message: message,
        place: Place(pointer: pointer, at: position),
        schemaLocation: location)
    }
  }

  /// The severity, code and message of findings.
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
    /// Differs from the schema's own if an entry of `uniqueKeys` or `foreignKeys` has its own.
    package var grading: Grading
  }

  /// Payloads of more than one word are indirect, to keep keywords small. Payloads of one word leave the pointers to the others
  /// untagged: LeakSanitizer would not recognise tagged pointers.
  package enum Assertion: Sendable {
    /// The schema `false`.
    case never
    /// A reference that leads nowhere or back to itself, and why: a document that reaches it gets no verdict.
    case unusable(CofferError)
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
    case uniqueItems(ignoresCase: Bool)
    case unevaluatedMembers(Int)
    case unevaluatedItems(Int)

    case reference(Int)
    /// A `reference` that resolves to the outermost resource on the evaluation path that has an anchor of that name, if there is
    /// one.
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
    indirect case sortedBy(SortOrder)
    /// The member was introduced with this version of the format.
    case since(Int)
    /// A keyword that only its own file knows.
    indirect case own(Rules.Keyword.Rule)
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
    /// True if matching items count as evaluated for `unevaluatedItems` (since 2020-12).
    var evaluates = true
  }

  /// A field of a record: its name, or its path of names; `*` matches each item of an array.
  package typealias FieldPath = [String]

  /// The place of a collection, token by token; `*` matches any item.
  package enum Resource: Sendable, Hashable {
    case root([String])
    /// Relative to the container that many levels above the field: 1 is the record itself.
    case relative(levels: Int, [String])

    package var text: String {
      switch self {
      case .root(let tokens): tokens.pointer
      case .relative(let levels, let tokens): "\(levels)" + tokens.pointer
      }
    }
  }

  /// The numbers whose sum a number must equal.
  package struct Sum: Sendable {
    package var values: Resource
    package var tolerance: ExactDecimal?
    /// The place as the rule document spells it.
    package var text: String

    /// The place in words: that of values in the same record without the way up to it.
    var words: String { text.hasPrefix("1/") ? String(text.dropFirst(2)) : text }
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
      /// A place from the root.
      case root([String])
    }

    package var origin: Origin
    package var plus: CalendarDuration?
    /// The text before the other value, if both are strings.
    package var prefix: String?
    /// The text as spelled in the rule document, for messages.
    package var text: String
  }
}

extension Schema.Assertion {
  /// How a subschema applies to the value that its keyword is about.
  package enum Application: Sendable {
    case always
    /// Always, unless an outer resource overrides the anchor.
    case unlessOverridden
    /// It is an alternative, or there is a condition.
    case sometimes
    /// The value may satisfy it or not.
    case tested
  }

  /// The subschemas that apply to the value itself.
  package var inPlace: [(schema: Int, application: Application)] {
    switch self {
    case .reference(let target): [(target, .always)]
    case .dynamicReference(let target, _): [(target, .unlessOverridden)]
    case .allOf(let parts): parts.map { ($0, .always) }
    case .anyOf(let parts), .oneOf(let parts): parts.map { ($0, .sometimes) }
    case .not(let part): [(part, .tested)]
    case .condition(let test, let then, let otherwise):
      [(test, .tested)] + [then, otherwise].compactMap(\.self).map { ($0, .sometimes) }
    case .dependentSchemas(let dependencies): dependencies.map { ($0.schema, .sometimes) }
    default: []
    }
  }

  /// The subschemas that apply to the value itself, or to its members or items.
  package var subschemas: [Int] {
    switch self {
    case .members(let members):
      members.named.map(\.schema) + members.patterns.map(\.schema) + [members.additional].compactMap(\.self)
    case .memberNames(let schema), .unevaluatedMembers(let schema), .unevaluatedItems(let schema): [schema]
    case .items(let prefix, let rest): prefix + [rest].compactMap(\.self)
    case .contains(let contains): [contains.schema]
    default: inPlace.map(\.schema)
    }
  }
}

/// The required relation of a value to an operand.
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

extension Schema.Keyword {
  /// The code of its findings.
  package var code: String { grading.code ?? Rules.Keyword.code(of: name) }
}

/// The digest algorithm for an entry's bytes.
package enum DigestAlgorithm: String, Sendable, CaseIterable {
  case md5, sha256
}
