import ByteStreams
import Findings
package import JSONEvents

/// Reads the values of one schema object's keywords.
struct KeywordReader {
  var schema: JSONValue.Located
  var place: SchemaDocuments.Place
  let resource: Int
  let dialect: Dialect
  private(set) var grading: Schema.Grading

  init(
    schema: JSONValue.Located, place: SchemaDocuments.Place, resource: Int, dialect: Dialect, grading: Schema.Grading
  ) {
    self.schema = schema
    self.place = place
    self.resource = resource
    self.dialect = dialect
    self.grading = grading
  }

  mutating func setGrading(_ grading: Schema.Grading) { self.grading = grading }

  func pointer(to keyword: String) -> String { place.pointer.text + "/" + keyword.pointerToken }

  var knowsPrefixItems: Bool { dialect.edition >= .draft2020 }

  mutating func readGrading() throws(CofferError) {
    guard dialect.hasVocabulary else { return }
    if let value = schema["severity"] {
      guard let severity = value.string.flatMap(Severity.init(rawValue:)) else {
        throw CofferError(rules: "severity must be error, warning or note", at: pointer(to: "severity"), value.position)
      }
      grading.severity = severity
    }
    grading.code = try text("code")
    grading.message = try text("errorMessage")
  }

  private func text(_ name: String) throws(CofferError) -> String? {
    guard let value = schema[name] else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw CofferError(rules: "\(name) must be a non-empty string", at: pointer(to: name), value.position)
    }
    return text
  }

  // MARK: Plain values

  func count(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Int {
    guard let number = value.number.flatMap({ ExactDecimal($0) }), number.isInteger, !number.isNegative else {
      throw CofferError(rules: "expected a non-negative integer", at: pointer, value.position)
    }
    // No count can exceed `Int.max`.
    return number.int64.map { Int($0) } ?? .max
  }

  func boolean(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Bool {
    guard let boolean = value.boolean else {
      throw CofferError(rules: "expected true or false, found \(value.typeName)", at: pointer, value.position)
    }
    return boolean
  }

  /// - Parameter content: the expected content of the object, for the message.
  func members(
    _ value: JSONValue.Located, _ pointer: String, of content: String
  ) throws(CofferError) -> [JSONValue.Member] {
    if let members = value.object { return members }
    throw CofferError(rules: "expected an object of \(content), found \(value.typeName)", at: pointer, value.position)
  }

  /// Reads a bound of its own: since draft 6, `exclusiveMinimum` and `exclusiveMaximum` are numbers.
  func exclusiveBound(
    _ comparison: Comparison, _ name: String, _ value: JSONValue.Located, _ pointer: String
  ) throws(CofferError) -> Schema.Assertion {
    guard value.boolean != nil else { return try numericBound(comparison, value, pointer) }
    let draft4 = "http://json-schema.org/draft-04/schema#"
    throw CofferError(
      rules:
        "since draft 6, \(name) is itself the bound, a number\(dialect.hasVocabulary ? "; for draft 4, add \"$schema\": \"\(draft4)\"" : "")",
      at: pointer, value.position)
  }

  func decimal(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> ExactDecimal {
    guard let decimal = value.number.flatMap({ ExactDecimal($0) }) else {
      throw CofferError(rules: "expected a number, found \(value.typeName)", at: pointer, value.position)
    }
    guard decimal.exponent.magnitude < 1 << 39 else {
      throw CofferError(rules: "the exponent is too large (limit: about 10 to the power of 11)", at: pointer, value.position)
    }
    return decimal
  }

  func divisor(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> ExactDecimal {
    let divisor = try decimal(value, pointer)
    guard !divisor.isZero, !divisor.isNegative else {
      throw CofferError(rules: "multipleOf must be more than 0", at: pointer, value.position)
    }
    // No real divisor is that long, and each of its digits adds to the cost of dividing.
    guard divisor.digitCount <= 1000 else {
      throw CofferError(rules: "multipleOf has more than 1000 digits", at: pointer, value.position)
    }
    return divisor
  }

  func required(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> [String] {
    guard value.boolean == nil else {
      throw CofferError(
        rules: "since draft 4, required is a list of names, in the schema of the object that has them", at: pointer,
        value.position)
    }
    return try names(value, pointer)
  }

  func names(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> [String] {
    guard let items = value.array else {
      throw CofferError(rules: "expected a list of names, found \(value.typeName)", at: pointer, value.position)
    }
    var names: [String] = []
    for item in items {
      guard let name = item.string else {
        throw CofferError(rules: "expected a name, found \(item.typeName)", at: pointer, item.position)
      }
      names.append(name)
    }
    return names
  }

  func types(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> TypeSet {
    var types: TypeSet = []
    if value.array?.isEmpty == true { throw CofferError(rules: "type must name at least one type", at: pointer, value.position) }
    for item in value.array ?? [value] {
      guard let name = item.string, let type = TypeSet.names.first(where: { $0.name == name })?.type else {
        let suggestion = item.string.map { Suggestion.text(for: $0, among: TypeSet.names.map(\.name)) } ?? ""
        throw CofferError(
          rules: "type must be \(TypeSet.names.map(\.name).joined(separator: ", ")) or a list of them\(suggestion)", at: pointer,
          item.position)
      }
      types.insert(type)
    }
    return types
  }

  func enumeration(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Schema.Assertion {
    if let values = value.array { return .values(values) }
    if let data = try dataReference(value, pointer) { return .amongData(data) }
    throw CofferError(rules: "enum must be a list of values, found \(value.typeName)", at: pointer, value.position)
  }

  func numericBound(
    _ comparison: Comparison, _ value: JSONValue.Located, _ pointer: String
  ) throws(CofferError) -> Schema.Assertion {
    if let data = try dataReference(value, pointer) { return .bound(comparison, .data(data)) }
    return .bound(comparison, .number(try decimal(value, pointer)))
  }

  func pattern(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Pattern {
    guard let source = value.string else {
      throw CofferError(rules: "pattern must be a string, found \(value.typeName)", at: pointer, value.position)
    }
    return try pattern(source, pointer, value.position)
  }

  func pattern(_ source: String, _ pointer: String, _ position: TextPosition) throws(CofferError) -> Pattern {
    do {
      return try Pattern(source)
    } catch {
      throw CofferError(rules: "invalid pattern at byte \(error.offset): \(error.message)", at: pointer, position)
    }
  }

  /// Returns `nil` if the format is an annotation.
  func format(_ value: JSONValue.Located, _ pointer: String, isAsserted: Bool) throws(CofferError) -> StringFormat? {
    guard let name = value.string else {
      throw CofferError(rules: "format must be a string, found \(value.typeName)", at: pointer, value.position)
    }
    guard isAsserted else { return nil }
    guard let format = StringFormat(name: name), dialect.hasVocabulary || format.isStandard else {
      // In the standard, unknown formats pass. In Coffer's own dialect a misspelt one is an error.
      guard dialect.hasVocabulary else { return nil }
      let known = StringFormat.allCases.map(\.name)
      throw CofferError(
        rules:
          "unknown format '\(name)'\(Suggestion.text(for: name, among: known)); Coffer checks \(known.joined(separator: ", "))",
        at: pointer, value.position)
    }
    return format
  }

  func checkMembers(
    _ value: JSONValue.Located, _ pointer: String, known: [String], grades: Bool = true
  ) throws(CofferError) {
    guard let members = value.object else {
      throw CofferError(rules: "expected an object, found \(value.typeName)", at: pointer, value.position)
    }
    let known = known + (grades ? KeywordNames.gradings : []) + ["$comment"]
    for member in members where !known.contains(member.key) {
      throw CofferError(
        rules: "unknown member '\(member.key)'\(Suggestion.text(for: member.key, among: known))",
        at: pointer + "/" + member.key.pointerToken,
        member.keyPosition)
    }
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
