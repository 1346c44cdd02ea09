import JSONEvents
import Rules

/// Values that violate a rule about single values.
enum Violations {
  static func of(_ assertion: Schema.Assertion) -> [JSONTree] {
    switch assertion {
    case .types(let types): ofTypes(types)
    case .values(let values): ofValues(values.map(JSONTree.init))
    case .bound(let comparison, .number(let bound)): numbers(beyond: comparison, bound).map(JSONTree.number)
    case .multipleOf(let divisor):
      ["1", "0.5", "7", "0.001"].filter { ExactDecimal($0)?.isMultiple(of: divisor) == false }.map(JSONTree.number)
    case .length(let comparison, let count): ofLength(comparison, count)
    case .pattern(let pattern): strangeTexts.filter { !matches(pattern, $0) }.map(JSONTree.string)
    case .format(let format): ofFormat(format)
    case .formatBound(_, let comparison, .decimal(let bound)): numbers(beyond: comparison, bound).map(JSONTree.string)
    case .formatBound(let format, let comparison, .instant(let instant)):
      [1, 400].map {
        RecordWriter.time(instant.seconds + (comparison == .atLeast || comparison == .moreThan ? -$0 : $0) * 86_400, format)
      }
    case .formatBound(let format, .atLeast, .now), .formatBound(let format, .moreThan, .now):
      [RecordWriter.time(1_000_000_000, format)]
    case .itemCount(.atLeast, let count): count > 0 ? [.array([])] : []
    default: []
    }
  }

  private static func ofTypes(_ types: TypeSet) -> [JSONTree] {
    let all: [JSONTree] = [
      .string("182340"), .number("42"), .number("24.5"), .boolean(true), .null, .array([]), .object([]),
    ]
    return all.filter { value in
      if case .number(let text) = value, types.contains(.integer), !types.contains(.number) { return text.contains(".") }
      return !types.contains(value.type) && !(value.type == .number && types.contains(.integer))
    }
  }

  private static func ofValues(_ values: [JSONTree]) -> [JSONTree] {
    var others: [JSONTree] = []
    for value in values.prefix(3) {
      switch value {
      case .string(let text): others += [.string(text + "?"), .string(text.uppercased()), .string(text.lowercased())]
      case .number(let text):
        if let number = Int64(text) { others += [.number(String(number + 1)), .number(String(number + 99))] }
      case .boolean(let flag): others.append(.boolean(!flag))
      default: break
      }
    }
    if values.contains(where: { $0.type == .string }) { others.insert(.string("nothing known"), at: 0) }
    return others.filter { other in !values.contains { $0.equals(other) } }
  }

  /// Returns numbers just beyond a bound, and far beyond it.
  private static func numbers(beyond comparison: Comparison, _ bound: ExactDecimal) -> [String] {
    let isInteger = bound.isInteger
    guard bound.digitCount + max(0, bound.exponent) <= 15 else {
      return comparison == .atMost || comparison == .lessThan ? ["1e30"] : ["-1e30"]
    }
    let scale = isInteger ? 0 : 2
    let units = bound.units(scale: scale, roundingUp: comparison == .atLeast, isExclusive: false)
    func text(_ units: Int64) -> String {
      var buffer = ByteBuffer(capacity: 64)
      buffer.append(units, scale: scale)
      return String(decoding: buffer.bytes(from: 0), as: UTF8.self)
    }
    switch comparison {
    case .atLeast: return [text(units - 1), text(units - 730)]
    case .moreThan: return [text(units), text(units - 7)]
    case .atMost: return [text(units + 1), text(units + 730)]
    case .lessThan: return [text(units), text(units + 7)]
    }
  }

  private static func ofLength(_ comparison: Comparison, _ count: Int) -> [JSONTree] {
    let length = comparison == .atLeast ? count - 1 : count + 1
    guard length >= 0, length <= 4096 else { return [] }
    return [.string(String(repeating: "a", count: length))]
  }

  private static let strangeTexts = [
    "", " ", "a/b", "..\\..", "ftp://example.com", "Äö ü", "UPPER case", "no?", "-", "1.2.3.4.5", "nothing",
  ]

  private static func matches(_ pattern: Pattern, _ text: String) -> Bool {
    ByteView.with(text) { Pattern.Matcher().match(pattern, in: $0) } == .match
  }

  private static let unreadableDates = [
    "2026-02-30T08:00:00Z", "2025-06-31T12:30:00Z", "2026-13-01T00:00:00Z", "2026-05-04T25:00:00Z", "27.06.2026", "2026-06-27",
    "soon",
  ]

  private static func ofFormat(_ format: StringFormat) -> [JSONTree] {
    let texts: [String] =
      switch format {
      case .dateTime, .dateTimeSeconds, .appleDateTime, .date, .time: unreadableDates
      case .decimal: ["12,50", "nan", "inf", "1.2.3", "24.0 €", "free"]
      case .uuid: ["3F1C0A52-7B0E-4C57-9A41", "not-a-uuid", "3F1C0A52-7B0E-4C57-9A41-6D2E8F10B7CX"]
      case .currency: ["EURO", "€", "eur"]
      case .colorHex: ["#12345", "blue", "#GGGGGG"]
      default: ["no such thing !", "", "[", "%%"]
      }
    if format.appliesToNumbers { return [.number("1e300")] }
    return texts.filter { text in !ByteView.with(text) { format.accepts($0) } }.map(JSONTree.string)
  }
}
