import ByteStreams
import JSONEvents

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
