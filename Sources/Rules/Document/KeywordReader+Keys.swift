import ByteStreams
import JSONEvents

/// Fields, and the places of collections.
extension KeywordReader {
  /// Reads one field or a list of fields, each given as a name or a path of names.
  ///
  /// - Parameter allowsItems: true if a single field may lead through the items of an array.
  func fields(
    _ value: JSONValue.Located, _ pointer: String, allowsItems: Bool = false
  ) throws(CofferError) -> [Schema.FieldPath] {
    let fields: [String]
    if let field = value.string { fields = [field] } else { fields = try names(value, pointer) }
    guard !fields.isEmpty, Set(fields.map(ExactText.init)).count == fields.count else {
      throw CofferError(rules: "expected at least one field, without duplicates", at: pointer, value.position)
    }
    var paths: [Schema.FieldPath] = []
    for field in fields {
      guard let path = ("/" + field).pointerTokens, path.count <= 16 else {
        throw CofferError(
          rules: "'\(field)' is not a field: expected a name, or names separated by '/'", at: pointer, value.position)
      }
      guard !path.contains("*") || allowsItems && fields.count == 1 else {
        throw CofferError(
          rules: "'\(field)' names several values, but this key needs single values", at: pointer, value.position)
      }
      paths.append(path)
    }
    return paths
  }

  /// Reads the collection that keys are looked up in: from the root (`/cars`), or relative to the field (`1/members`).
  func keyResource(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Schema.Resource {
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

  func sum(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Schema.Sum {
    try checkMembers(value, pointer, known: ["values", "tolerance"], grades: false)
    guard let values = value["values"], let text = values.string else {
      throw CofferError(
        rules: "sumOf needs values: the place of the numbers, such as \"/expenses/*/amount\"", at: pointer, value.position)
    }
    var sum = Schema.Sum(values: try keyResource(values, pointer + "/values"), text: text)
    if let tolerance = value["tolerance"] {
      guard let text = tolerance.string ?? tolerance.number, let decimal = ExactDecimal(text), !decimal.isNegative,
        ExactSum.reaches(decimal)
      else {
        throw CofferError(
          rules: "tolerance must be a non-negative decimal, such as \"0.01\"", at: pointer + "/tolerance", tolerance.position)
      }
      sum.tolerance = decimal
    }
    return sum
  }

  /// Returns the tokens of a pointer to a collection.
  func resource(_ value: JSONValue.Located, _ pointer: String, allowsWildcard: Bool) throws(CofferError) -> [String] {
    guard let text = value.string, let tokens = text.pointerTokens else {
      throw CofferError(
        rules:
          "expected a JSON Pointer from the root, such as \"/cars\", or a place relative to the field, such as \"1/members\"",
        at: pointer, value.position)
    }
    guard allowsWildcard || !tokens.contains("*") else {
      throw CofferError(rules: "'*' is not allowed here: expected a single array", at: pointer, value.position)
    }
    return tokens
  }
}
