import JSONEvents

/// Fields, and places of collections.
extension KeywordReader {
  /// A field, or a list of fields; each by its name or the names that lead to it.
  ///
  /// - Parameter allowsItems: whether a field that is alone may lead through the items of an array.
  func fields(
    _ value: JSONValue.Located, _ pointer: String, allowsItems: Bool = false
  ) throws(RuleCompileError) -> [Schema.FieldPath] {
    let fields: [String]
    if let field = value.string { fields = [field] } else { fields = try names(value, pointer) }
    guard !fields.isEmpty, Set(fields.map(ExactText.init)).count == fields.count else {
      throw RuleCompileError("expected at least one field, and none twice", at: pointer, value.position)
    }
    var paths: [Schema.FieldPath] = []
    for field in fields {
      guard let path = ("/" + field).pointerTokens, path.count <= 16 else {
        throw RuleCompileError(
          "'\(field)' is no field: expected a name, or names with '/' between them", at: pointer, value.position)
      }
      guard !path.contains("*") || allowsItems && fields.count == 1 else {
        throw RuleCompileError(
          "'\(field)' names many values; a key of this kind is made of single ones", at: pointer, value.position)
      }
      paths.append(path)
    }
    return paths
  }

  /// A collection that keys are looked for in: from the root on (`/cars`), or from around the field (`1/members`).
  func keyResource(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> Schema.Resource {
    if let text = value.string, let relative = Self.relative(text) {
      return relative
    }
    return .root(try resource(value, pointer, allowsWildcard: true))
  }

  private static func relative(_ text: String) -> Schema.Resource? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let levels = Int(digits), levels >= 1, levels <= 64, let tokens = String(text.dropFirst(digits.count)).pointerTokens,
      !tokens.isEmpty, tokens.count <= 16
    else { return nil }
    return .relative(levels: levels, tokens)
  }

  func sum(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> Schema.Sum {
    try checkMembers(value, pointer, known: ["values", "tolerance"], grades: false)
    guard let values = value["values"], let text = values.string else {
      throw RuleCompileError(
        "sumOf needs values: where the numbers stand, such as \"/expenses/*/amount\"", at: pointer, value.position)
    }
    var sum = Schema.Sum(values: try keyResource(values, pointer + "/values"), text: text)
    if let tolerance = value["tolerance"] {
      guard let text = tolerance.string ?? tolerance.number, let decimal = ExactDecimal(text), !decimal.isNegative,
        ExactSum.reaches(decimal)
      else {
        throw RuleCompileError(
          "tolerance must be a decimal that is not negative, such as \"0.01\"", at: pointer + "/tolerance", tolerance.position)
      }
      sum.tolerance = decimal
    }
    return sum
  }

  /// A pointer to a collection, token by token.
  func resource(_ value: JSONValue.Located, _ pointer: String, allowsWildcard: Bool) throws(RuleCompileError) -> [String] {
    guard let text = value.string, let tokens = text.pointerTokens else {
      throw RuleCompileError(
        "expected a JSON Pointer from the root, such as \"/cars\", or a place in a container around the field, such as \"1/members\"",
        at: pointer, value.position)
    }
    guard allowsWildcard || !tokens.contains("*") else {
      throw RuleCompileError("expected one array; '*' names many", at: pointer, value.position)
    }
    return tokens
  }
}
