import ByteStreams
import Findings
package import JSONEvents

/// Reads the values of one schema object's keywords.
struct KeywordReader {
  var schema: RuleValue
  let document: Int
  let resource: Int
  let dialect: Dialect
  var grading: Schema.Grading

  func place(of value: RuleValue) -> SchemaDocuments.Place { SchemaDocuments.Place(document, value.pointer) }

  var knowsPrefixItems: Bool { dialect.edition >= .draft2020 }

  mutating func readGrading() throws(CofferError) {
    guard dialect.hasVocabulary else { return }
    if let severity = try schema["severity"]?.expectChoice(Severity.mostSevereFirst) { grading.severity = severity }
    grading.code = try schema["code"]?.expectText()
    grading.message = try schema["errorMessage"]?.expectText()
  }

  // MARK: Plain values

  /// Reads a bound of its own: since draft 6, `exclusiveMinimum` and `exclusiveMaximum` are numbers.
  func exclusiveBound(_ comparison: Comparison, _ name: String, _ value: RuleValue) throws(CofferError) -> Schema.Assertion {
    guard value.boolean != nil else { return try numericBound(comparison, value) }
    let draft4 = "http://json-schema.org/draft-04/schema#"
    let hint = dialect.hasVocabulary ? "; for draft 4, add \"$schema\": \"\(draft4)\"" : ""
    throw value.error("since draft 6, \(name) is itself the bound, a number\(hint)")
  }

  func decimal(_ value: RuleValue) throws(CofferError) -> ExactDecimal {
    let decimal = try value.expectNumber()
    guard decimal.exponent.magnitude < 1 << 39 else {
      throw value.error("the exponent is too large (limit: about 10 to the power of 11)")
    }
    return decimal
  }

  func divisor(_ value: RuleValue) throws(CofferError) -> ExactDecimal {
    let divisor = try decimal(value)
    guard !divisor.isZero, !divisor.isNegative else { throw value.error("multipleOf must be more than 0") }
    // No real divisor is that long, and each of its digits adds to the cost of dividing.
    guard divisor.digitCount <= 1000 else { throw value.error("multipleOf has more than 1000 digits") }
    return divisor
  }

  func required(_ value: RuleValue) throws(CofferError) -> [String] {
    guard value.boolean == nil else {
      throw value.error("since draft 4, required is a list of names, in the schema of the object that has them")
    }
    return try value.expectNames()
  }

  func types(_ value: RuleValue) throws(CofferError) -> TypeSet {
    var types: TypeSet = []
    let items = value.items ?? [value]
    if items.isEmpty { throw value.error("type must name at least one type") }
    for item in items {
      guard let name = item.string, let type = TypeSet.names.first(where: { $0.name == name })?.type else {
        let names = TypeSet.names.map(\.name)
        let suggestion = item.string.map { Suggestion.text(for: $0, among: names) } ?? ""
        throw item.error("type must be \(names.joined(separator: ", ")) or a list of them\(suggestion)")
      }
      types.insert(type)
    }
    return types
  }

  func enumeration(_ value: RuleValue) throws(CofferError) -> Schema.Assertion {
    if let data = try dataReference(value) { return .amongData(data) }
    guard let values = value.json.array else { throw value.unexpected("a list of values") }
    return .values(values)
  }

  func numericBound(_ comparison: Comparison, _ value: RuleValue) throws(CofferError) -> Schema.Assertion {
    if let data = try dataReference(value) { return .bound(comparison, .data(data)) }
    return .bound(comparison, .number(try decimal(value)))
  }

  /// Checks the members of an entry that can have its own grading.
  func checkMembers(_ value: RuleValue, known: [String]) throws(CofferError) {
    try value.checkMembers(known: known + KeywordNames.gradings)
  }
}

extension ByteView {
  /// Calls `body` with the UTF-8 of `text`.
  package static func with<R>(_ text: String, _ body: (ByteView) -> R) -> R {
    var text = text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else {
        return withUnsafePointer(to: 0 as UInt8) { body(ByteView($0, count: 0)) }
      }
      return body(ByteView(base, count: bytes.count))
    }
  }
}
