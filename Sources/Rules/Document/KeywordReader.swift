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

/// Bounds of non-numeric ordered values, and references to values elsewhere in the document.
extension KeywordReader {
  /// Returns whether a bound is exclusive: in draft 4, a boolean in the same schema says so.
  func excludes(_ name: String) throws(CofferError) -> Bool {
    guard dialect.edition == .draft4, let value = schema[name] else { return false }
    guard let boolean = value.boolean else {
      let bound = name == "exclusiveMinimum" ? "minimum" : "maximum"
      throw value.error("in draft 4, \(name) must be true or false, beside \(bound)")
    }
    return boolean
  }

  func formatBound(_ comparison: Comparison, _ value: RuleValue) throws(CofferError) -> Schema.Assertion {
    guard let format = schema["format"]?.string.flatMap(StringFormat.init(name:)), format.isTemporal || format == .decimal else {
      throw value.error("format bounds need an ordered format in the schema: a date, a time or decimal")
    }
    if let data = try dataReference(value) { return .formatBound(format, comparison, .data(data)) }
    guard let text = value.string else { throw value.unexpected("a string or {\"$data\": …}") }
    if format == .decimal {
      guard let decimal = ExactDecimal(text) else { throw value.error("'\(text)' is not a decimal number") }
      return .formatBound(format, comparison, .decimal(decimal))
    }
    if text == "now" { return .formatBound(format, comparison, .now(nil)) }
    if text.hasPrefix("now+") || text.hasPrefix("now-") {
      guard let duration = CalendarDuration(text.dropFirst(4), negative: text.hasPrefix("now-")) else {
        throw value.error("'\(text)' needs a duration after its sign, such as now+P1D")
      }
      return .formatBound(format, comparison, .now(duration))
    }
    // Bounds of numeric times are written as date-times.
    let form = format.appliesToNumbers ? StringFormat.dateTime : format
    guard let instant = ByteView.with(text, { form.instant($0) }) else { throw value.error("'\(text)' is not \(form.noun)") }
    return .formatBound(format, comparison, .instant(instant))
  }

  /// Reads `{"$data": "1/createdAt", "plus": "P1D"}`. Returns `nil` if `value` is something else.
  ///
  /// - Parameter options: the members allowed in addition to `$data`.
  func dataReference(
    _ value: RuleValue, options: [String] = ["plus", "minus"]
  ) throws(CofferError) -> Schema.DataReference? {
    guard dialect.hasVocabulary, let data = value["$data"] else { return nil }
    try value.checkMembers(known: ["$data"] + options)
    let text = try data.expectString()
    var reference = Schema.DataReference(origin: .root([]), text: text)
    for name in ["plus", "minus"] {
      guard let value = value[name] else { continue }
      guard let duration = value.string.flatMap({ CalendarDuration($0, negative: name == "minus") }), reference.plus == nil else {
        throw value.error("\(name) must be a duration such as P1D; plus and minus can't be combined")
      }
      reference.plus = duration
    }
    if let prefix = value["prefix"] { reference.prefix = try prefix.expectString() }
    if text.hasPrefix("/"), let tokens = text.pointerTokens, !tokens.isEmpty {
      guard !tokens.contains("*") else { throw data.error("'*' is not allowed here: expected a single place") }
      reference.origin = .root(tokens)
      return reference
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let levels = Int(parts[0]), levels >= 1, levels <= 512,
      let tokens = ("/" + parts[1]).pointerTokens, tokens.count == 1
    else {
      throw data.error(
        "$data must name a field of an enclosing object ('1/name' is a sibling, '2/name' one level up) or a place from the root "
          + "('/metadata/createdAt')")
    }
    reference.origin = .ancestor(levels: levels, field: tokens[0])
    return reference
  }
}

extension SchemaReader {
  /// Warns of keywords for numbers beside `format: decimal`, which is for strings. A `type` without numbers is another warning.
  mutating func warnOfNumericBounds(_ keywords: [Schema.Keyword]) {
    var types: TypeSet = [.string, .number]
    var isDecimal = false
    var formatBounds: Set<Comparison> = []
    for keyword in keywords {
      switch keyword.assertion {
      case .types(let allowed): types = allowed
      case .format(.decimal): isDecimal = true
      case .formatBound(_, let comparison, _): formatBounds.insert(comparison)
      default: break
      }
    }
    guard isDecimal, types.contains(.string), !types.isDisjoint(with: [.number, .integer]) else { return }
    for keyword in keywords {
      let remedy: String
      switch keyword.assertion {
      case .bound(let comparison, _) where !formatBounds.contains(comparison):
        remedy = "add format\(keyword.name.prefix(1).uppercased())\(keyword.name.dropFirst()) for these"
      case .multipleOf: remedy = "a pattern can limit the decimal places of these"
      default: continue
      }
      warn(
        keyword.origin.finding(
          code: "never-applies", keyword: keyword.name,
          "\(keyword.name) applies to numbers, and format decimal to strings: \(remedy)"))
    }
  }
}

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

/// Entries of the container that holds the document.
extension KeywordReader {
  /// Reads `true`, a prefix, or an object with more options.
  func containerEntry(_ value: RuleValue) throws(CofferError) -> Schema.ContainerEntry {
    var entry = Schema.ContainerEntry()
    if value.boolean == true { return entry }
    if let prefix = value.string {
      entry.prefix = prefix
      return entry
    }
    guard value.isObject else { throw value.error("containerEntry must be true, a prefix such as \"photos/\", or an object") }
    try checkMembers(value, known: ["prefix", "size", "digest"])
    if let prefix = value["prefix"] { entry.prefix = try prefix.expectString() }
    entry.size = try value["size"].map { size throws(CofferError) in try field(size, code: "size", .warning, known: []) }
    if let digest = value["digest"] {
      entry.digest = try field(digest, code: "checksum", .error, known: ["algorithm"])
      if let name = digest["algorithm"] { entry.algorithm = try name.expectChoice(DigestAlgorithm.allCases) }
    }
    return entry
  }

  /// Reads a sibling's name, or an object with the name and its own grading.
  private func field(
    _ value: RuleValue, code: String, _ severity: Severity, known: [String]
  ) throws(CofferError) -> Schema.ContainerEntry.Field {
    var reader = self
    reader.grading = Schema.Grading(severity: severity)
    if value.isObject {
      try checkMembers(value, known: ["field"] + known)
      reader.schema = value
      try reader.readGrading()
    }
    guard let name = (value["field"] ?? value).string, !name.isEmpty else {
      throw value.error("expected the name of a sibling field")
    }
    var grading = reader.grading
    grading.code = grading.code ?? code
    return Schema.ContainerEntry.Field(
      name: name, grading: grading, origin: Schema.Origin(document: nil, pointer: value.pointer, position: value.json.position))
  }
}
