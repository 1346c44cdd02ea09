import ByteStreams
import Findings
import JSONEvents

/// Bounds of dates, times and decimal strings: `formatMinimum` and its kin.
extension Keyword {
  static let formatBounds: [Keyword] = [
    ("formatMinimum", Comparison.atLeast), ("formatMaximum", .atMost), ("formatExclusiveMinimum", .moreThan),
    ("formatExclusiveMaximum", .lessThan),
  ].map { name, comparison in
    Keyword(name, .coffer) { _, member, reader throws(CofferError) in try reader.formatBound(comparison, member.value) }
  }
}

extension KeywordReader {
  fileprivate func formatBound(_ comparison: Comparison, _ value: RuleValue) throws(CofferError) -> Schema.Assertion {
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

extension Keyword.Rule {
  static func formatBound(
    _ format: StringFormat, _ comparison: Comparison, _ operand: Schema.FormatOperand
  ) -> Keyword.Rule {
    var limit: Limit.Value?
    var data: [Schema.DataReference] = []
    switch operand {
    case .instant(let instant): limit = .instant(instant)
    case .decimal(let decimal): limit = .number(decimal)
    case .data(let reference): data = [reference]
    case .now: break
    }
    return Keyword.Rule(
      format.types, limit: limit.map { Limit(measure: .format, comparison: comparison, value: $0) }, data: data,
      words: { _ in comparison.words(for: format, operand) },
      add: { $0.addFormatBound(format, comparison, operand, $1, $2) })
  }
}

extension KeywordAdder {
  fileprivate func addFormatBound(
    _ format: StringFormat, _ comparison: Comparison, _ operand: Schema.FormatOperand, _ keyword: Schema.Keyword, _ slot: UInt16
  ) {
    let words = format.isTemporal ? comparison.temporalWords : comparison.words
    let kind: JSONKind = format.appliesToNumbers ? .number : .string
    switch operand {
    case .data(let data):
      append(
        .formatData, slot, comparison, operand: dataOperand(data, format, keyword, slot),
        rule: rule(keyword, "\(words) \(data.name)"), kind)
    case .instant(let instant): addBound(.instantBound, "\(words) \(instant)")
    case .now(let shift):
      addBound(.instantBound, "\(words) now" + (shift.map { " \($0.isNegative ? "minus" : "plus") \($0.text)" } ?? ""))
    case .decimal(let decimal): addBound(.decimalBound, "\(words) \(decimal)")
    }
    func addBound(_ operation: RuleProgram.Operation, _ expectation: String) {
      append(
        operation, slot, comparison, operand: constant((format, operand), in: \.formatBounds), rule: rule(keyword, expectation),
        kind)
    }
  }
}

extension Comparison {
  /// The words for points in time.
  var temporalWords: String {
    switch self {
    case .atLeast: "no earlier than"
    case .moreThan: "after"
    case .atMost: "no later than"
    case .lessThan: "before"
    }
  }

  fileprivate func words(for format: StringFormat, _ operand: Schema.FormatOperand) -> String {
    let words = format.isTemporal ? temporalWords : self.words
    switch operand {
    case .instant(let instant): return "\(words) \(instant)"
    case .now(nil): return "\(words) the current time"
    case .now(let duration?):
      return "\(words) the current time \(duration.isNegative ? "minus" : "plus") \(duration.text)"
    case .decimal(let decimal): return "\(words) \(decimal)"
    case .data(let data): return "\(words) the value of \(data.words)"
    }
  }
}
