import ByteStreams
import JSONEvents

/// Bounds of non-numeric ordered values, and references to values elsewhere in the document.
extension KeywordReader {
  /// Returns whether a bound is exclusive: in draft 4, a boolean in the same schema says so.
  func excludes(_ name: String) throws(CofferError) -> Bool {
    guard dialect.edition == .draft4, let value = schema[name] else { return false }
    guard let boolean = value.boolean else {
      throw CofferError(
        rules: "in draft 4, \(name) must be true or false, beside \(name == "exclusiveMinimum" ? "minimum" : "maximum")",
        at: pointer(to: name), value.position)
    }
    return boolean
  }

  func formatBound(
    _ comparison: Comparison, _ value: JSONValue.Located, _ pointer: String
  ) throws(CofferError) -> Schema.Assertion {
    guard let format = schema["format"]?.string.flatMap(StringFormat.init(name:)), format.isTemporal || format == .decimal else {
      throw CofferError(
        rules: "format bounds need an ordered format in the schema: a date, a time or decimal", at: pointer,
        value.position)
    }
    if let data = try dataReference(value, pointer) { return .formatBound(format, comparison, .data(data)) }
    guard let text = value.string else {
      throw CofferError(
        rules: "the bound must be a string or {\"$data\": …}, found \(value.typeName)", at: pointer, value.position)
    }
    if format == .decimal {
      guard let decimal = ExactDecimal(text) else {
        throw CofferError(rules: "'\(text)' is not a decimal number", at: pointer, value.position)
      }
      return .formatBound(format, comparison, .decimal(decimal))
    }
    if text == "now" { return .formatBound(format, comparison, .now(nil)) }
    if text.hasPrefix("now+") || text.hasPrefix("now-") {
      guard let duration = CalendarDuration(text.dropFirst(4), negative: text.hasPrefix("now-")) else {
        throw CofferError(rules: "'\(text)' needs a duration after its sign, such as now+P1D", at: pointer, value.position)
      }
      return .formatBound(format, comparison, .now(duration))
    }
    // Bounds of numeric times are written as date-times.
    let form = format.appliesToNumbers ? StringFormat.dateTime : format
    guard let instant = ByteView.with(text, { form.instant($0) }) else {
      throw CofferError(rules: "'\(text)' is not \(form.noun)", at: pointer, value.position)
    }
    return .formatBound(format, comparison, .instant(instant))
  }

  /// Reads `{"$data": "1/createdAt", "plus": "P1D"}`. Returns `nil` if `value` is something else.
  ///
  /// - Parameter options: the members allowed in addition to `$data`.
  func dataReference(
    _ value: JSONValue.Located, _ pointer: String, options: [String] = ["plus", "minus"]
  ) throws(CofferError) -> Schema.DataReference? {
    guard dialect.hasVocabulary, let data = value["$data"] else { return nil }
    try checkMembers(value, pointer, known: ["$data"] + options, grades: false)
    guard let text = data.string else { throw CofferError(rules: "$data must be a string", at: pointer, data.position) }
    var reference = Schema.DataReference(origin: .root([]), text: text)
    for name in ["plus", "minus"] {
      guard let value = value[name] else { continue }
      guard let duration = value.string.flatMap({ CalendarDuration($0, negative: name == "minus") }), reference.plus == nil else {
        throw CofferError(
          rules: "\(name) must be a duration such as P1D; plus and minus can't be combined", at: "\(pointer)/\(name)",
          value.position
        )
      }
      reference.plus = duration
    }
    if let prefix = value["prefix"] {
      guard let text = prefix.string else {
        throw CofferError(rules: "prefix must be a string", at: pointer + "/prefix", prefix.position)
      }
      reference.prefix = text
    }
    if text.hasPrefix("/"), let tokens = text.pointerTokens, !tokens.isEmpty {
      guard !tokens.contains("*") else {
        throw CofferError(rules: "'*' is not allowed here: expected a single place", at: pointer, data.position)
      }
      reference.origin = .root(tokens)
      return reference
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let levels = Int(parts[0]), levels >= 1, levels <= 512,
      let tokens = ("/" + parts[1]).pointerTokens, tokens.count == 1
    else {
      throw CofferError(
        rules:
          "$data must name a field of an enclosing object ('1/name' is a sibling, '2/name' one level up) or a place from the root "
          + "('/metadata/createdAt')", at: pointer, data.position)
    }
    reference.origin = .ancestor(levels: levels, field: tokens[0])
    return reference
  }
}
