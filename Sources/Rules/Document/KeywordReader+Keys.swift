import ByteStreams
import JSONEvents

/// Fields, and the places of collections.
extension KeywordReader {
  /// Reads one field or a list of fields, each given as a name or a path of names.
  ///
  /// - Parameter allowsItems: true if a single field may lead through the items of an array.
  func fields(_ value: RuleValue, allowsItems: Bool = false) throws(CofferError) -> [Schema.FieldPath] {
    let fields: [String]
    if let field = value.string { fields = [field] } else { fields = try value.expectNames() }
    guard !fields.isEmpty, Set(fields.map(ExactText.init)).count == fields.count else {
      throw value.error("expected at least one field, without duplicates")
    }
    var paths: [Schema.FieldPath] = []
    for field in fields {
      guard let path = ("/" + field).pointerTokens, path.count <= 16 else {
        throw value.error("'\(field)' is not a field: expected a name, or names separated by '/'")
      }
      guard !path.contains("*") || allowsItems && fields.count == 1 else {
        throw value.error("'\(field)' names several values, but this key needs single values")
      }
      paths.append(path)
    }
    return paths
  }

  /// Reads the collection that keys are looked up in: from the root (`/cars`), or relative to the field (`1/members`).
  func keyResource(_ value: RuleValue) throws(CofferError) -> Schema.Resource {
    if let text = value.string, let relative = Self.relative(text) {
      return relative
    }
    return .root(try resource(value, allowsWildcard: true))
  }

  private static func relative(_ text: String) -> Schema.Resource? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let levels = Int(digits), levels >= 1, levels <= 64, let tokens = String(text.dropFirst(digits.count)).pointerTokens,
      !tokens.isEmpty, tokens.count <= 16
    else { return nil }
    return .relative(levels: levels, tokens)
  }

  func sum(_ value: RuleValue) throws(CofferError) -> Schema.Sum {
    try value.checkMembers(known: ["values", "tolerance"])
    guard let values = value["values"], let text = values.string else {
      throw value.error("sumOf needs values: the place of the numbers, such as \"/expenses/*/amount\"")
    }
    var sum = Schema.Sum(values: try keyResource(values), text: text)
    if let tolerance = value["tolerance"] {
      guard let text = tolerance.string ?? tolerance.number, let decimal = ExactDecimal(text), !decimal.isNegative,
        ExactSum.reaches(decimal)
      else {
        throw tolerance.error("tolerance must be a non-negative decimal, such as \"0.01\"")
      }
      sum.tolerance = decimal
    }
    return sum
  }

  /// Returns the tokens of a pointer to a collection.
  func resource(_ value: RuleValue, allowsWildcard: Bool) throws(CofferError) -> [String] {
    guard let text = value.string, let tokens = text.pointerTokens else {
      throw value.error(
        "expected a JSON Pointer from the root, such as \"/cars\", or a place relative to the field, such as \"1/members\"")
    }
    guard allowsWildcard || !tokens.contains("*") else {
      throw value.error("'*' is not allowed here: expected a single array")
    }
    return tokens
  }
}
