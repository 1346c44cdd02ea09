import Findings
package import JSONEvents

/// Reads the values of one schema object's keywords.
struct KeywordReader {
  let schema: JSONValue.Located
  let pointer: String
  private(set) var grading: Schema.Grading

  init(schema: JSONValue.Located, pointer: String, grading: Schema.Grading) {
    self.schema = schema
    self.pointer = pointer
    self.grading = grading
  }

  mutating func readGrading(hasVocabulary: Bool) throws(RuleCompileError) {
    guard hasVocabulary else { return }
    if let value = schema["severity"] {
      guard let severity = value.string.flatMap(Severity.init(rawValue:)) else {
        throw RuleCompileError("severity is error, warning or note", at: pointer + "/severity", value.position)
      }
      grading.severity = severity
    }
    grading.code = try text("code")
    grading.message = try text("errorMessage")
  }

  private func text(_ name: String) throws(RuleCompileError) -> String? {
    guard let value = schema[name] else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw RuleCompileError("\(name) must be a string that is not empty", at: pointer + "/" + name, value.position)
    }
    return text
  }

  // MARK: Plain values

  func count(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> Int {
    guard let count = value.number.flatMap({ ExactDecimal($0) })?.int64, count >= 0 else {
      throw RuleCompileError("expected a whole number that is not negative", at: pointer, value.position)
    }
    return Int(count)
  }

  func decimal(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> ExactDecimal {
    guard let decimal = value.number.flatMap({ ExactDecimal($0) }) else {
      throw RuleCompileError("expected a number, found \(value.typeName)", at: pointer, value.position)
    }
    return decimal
  }

  func divisor(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> ExactDecimal {
    let divisor = try decimal(value, pointer)
    guard !divisor.isZero, !divisor.isNegative, divisor.digits.count <= 18 else {
      throw RuleCompileError("multipleOf must be more than 0 and have at most 18 significant digits", at: pointer, value.position)
    }
    return divisor
  }

  func names(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> [String] {
    guard let items = value.array else {
      throw RuleCompileError("expected a list of names, found \(value.typeName)", at: pointer, value.position)
    }
    var names: [String] = []
    for item in items {
      guard let name = item.string else {
        throw RuleCompileError("expected a name, found \(item.typeName)", at: pointer, item.position)
      }
      names.append(name)
    }
    return names
  }

  func types(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> TypeSet {
    var types: TypeSet = []
    for item in value.array ?? [value] {
      guard let name = item.string, let type = TypeSet.names.first(where: { $0.name == name })?.type else {
        let suggestion = item.string.map { Suggestion.text(for: $0, among: TypeSet.names.map(\.name)) } ?? ""
        throw RuleCompileError(
          "type is \(TypeSet.names.map(\.name).joined(separator: ", ")) or a list of them\(suggestion)", at: pointer,
          item.position)
      }
      types.insert(type)
    }
    return types
  }

  func enumeration(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> [JSONValue.Located] {
    guard let values = value.array else {
      throw RuleCompileError("enum must be a list of values, found \(value.typeName)", at: pointer, value.position)
    }
    return values
  }

  func pattern(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> Pattern {
    guard let source = value.string else {
      throw RuleCompileError("pattern must be a string, found \(value.typeName)", at: pointer, value.position)
    }
    do {
      return try Pattern(source)
    } catch {
      throw RuleCompileError("the pattern is wrong at its byte \(error.offset): \(error.message)", at: pointer, value.position)
    }
  }

  /// `nil` where the format is an annotation.
  func format(_ value: JSONValue.Located, _ pointer: String, isAsserted: Bool) throws(RuleCompileError) -> StringFormat? {
    guard let name = value.string else {
      throw RuleCompileError("format must be a string, found \(value.typeName)", at: pointer, value.position)
    }
    guard isAsserted else { return nil }
    guard let format = StringFormat(name: name) else {
      let known = StringFormat.allCases.map(\.name)
      throw RuleCompileError(
        "the format '\(name)' is not supported yet\(Suggestion.text(for: name, among: known)); Coffer checks \(known.joined(separator: ", "))",
        at: pointer, value.position)
    }
    return format
  }

  // MARK: Bounds

  func formatBound(
    _ comparison: Comparison, _ value: JSONValue.Located, _ pointer: String
  ) throws(RuleCompileError) -> Schema.Assertion {
    guard let format = schema["format"]?.string.flatMap(StringFormat.init(name:)), format.isTemporal || format == .decimal else {
      throw RuleCompileError(
        "a format bound needs a format beside it: date-time, date, time or decimal", at: pointer, value.position)
    }
    if let data = try dataReference(value, pointer) { return .formatBound(format, comparison, .data(data)) }
    guard let text = value.string else {
      throw RuleCompileError("a format bound is a string or {\"$data\": …}, found \(value.typeName)", at: pointer, value.position)
    }
    if format == .decimal {
      guard let decimal = ExactDecimal(text) else {
        throw RuleCompileError("'\(text)' is no decimal number", at: pointer, value.position)
      }
      return .formatBound(format, comparison, .decimal(decimal))
    }
    if text == "now" { return .formatBound(format, comparison, .now(nil)) }
    if text.hasPrefix("now+") || text.hasPrefix("now-") {
      guard let duration = CalendarDuration(text.dropFirst(4), negative: text.hasPrefix("now-")) else {
        throw RuleCompileError("'\(text)' needs a duration behind its sign, such as now+P1D", at: pointer, value.position)
      }
      return .formatBound(format, comparison, .now(duration))
    }
    guard let instant = ByteView.with(text, { format.instant($0) }) else {
      throw RuleCompileError("'\(text)' is not \(format.noun)", at: pointer, value.position)
    }
    return .formatBound(format, comparison, .instant(instant))
  }

  /// `{"$data": "1/createdAt", "plus": "P1D"}`; `nil` if `value` is something else.
  func dataReference(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> Schema.DataReference? {
    guard let data = value["$data"] else { return nil }
    try checkMembers(value, pointer, known: ["$data", "plus"], grades: false)
    guard let text = data.string else { throw RuleCompileError("$data must be a string", at: pointer, data.position) }
    var reference = Schema.DataReference(origin: .root([]), text: text)
    if let plus = value["plus"] {
      guard let duration = plus.string.flatMap({ CalendarDuration($0) }) else {
        throw RuleCompileError("plus must be a duration such as P1D", at: pointer + "/plus", plus.position)
      }
      reference.plus = duration
    }
    if text.hasPrefix("/"), let tokens = text.pointerTokens, !tokens.isEmpty {
      guard !tokens.contains("*") else {
        throw RuleCompileError("expected one place; '*' names many", at: pointer, data.position)
      }
      reference.origin = .root(tokens)
      return reference
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let levels = Int(parts[0]), levels >= 1, levels <= 512,
      let tokens = ("/" + parts[1]).pointerTokens, tokens.count == 1
    else {
      throw RuleCompileError(
        "$data names a field of an object around the value ('1/name' is a sibling, '2/name' one level further up) or a place from the root "
          + "('/metadata/createdAt')", at: pointer, data.position)
    }
    reference.origin = .ancestor(levels: levels, field: tokens[0])
    return reference
  }

  // MARK: Keys

  /// A field's name, or a list of names. Paths into a field are not supported yet.
  func fields(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> [String] {
    let fields: [String]
    if let field = value.string { fields = [field] } else { fields = try names(value, pointer) }
    guard !fields.isEmpty, Set(fields).count == fields.count else {
      throw RuleCompileError("expected at least one field, and none twice", at: pointer, value.position)
    }
    for field in fields where field.contains("/") {
      throw RuleCompileError("'\(field)' is a path; only a record's own fields are supported yet", at: pointer, value.position)
    }
    return fields
  }

  /// A pointer to a collection, token by token.
  func resource(_ value: JSONValue.Located, _ pointer: String, allowsWildcard: Bool) throws(RuleCompileError) -> [String] {
    guard let text = value.string, let tokens = text.pointerTokens else {
      throw RuleCompileError("expected a JSON Pointer from the root, such as \"/cars\"", at: pointer, value.position)
    }
    guard allowsWildcard || !tokens.contains("*") else {
      throw RuleCompileError("expected one array; '*' names many", at: pointer, value.position)
    }
    return tokens
  }

  func checkMembers(
    _ value: JSONValue.Located, _ pointer: String, known: [String], grades: Bool = true
  ) throws(RuleCompileError) {
    guard let members = value.object else {
      throw RuleCompileError("expected an object, found \(value.typeName)", at: pointer, value.position)
    }
    let known = known + (grades ? KeywordNames.gradings : []) + ["$comment"]
    for member in members where !known.contains(member.key) {
      throw RuleCompileError(
        "there is no '\(member.key)' here\(Suggestion.text(for: member.key, among: known))",
        at: pointer + "/" + member.key.pointerToken,
        member.keyPosition)
    }
  }
}

extension ByteView {
  /// Runs `body` on the UTF-8 of `text`.
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
