import Findings
import JSONEvents
import Rules

/// The rules of strings and numbers.
extension SchemaWriter {
  mutating func textRules(of index: Int) -> DraftMembers {
    let texts = places[index].texts
    var members = DraftMembers()
    members.add("format", formats[index].map { .text($0.name) })
    members.add("enum", enumeration(of: index, isText: true))
    if members.isEmpty, options.strictness != .loose { members.add("pattern", pattern(of: texts, at: index)) }
    return members
  }

  func numberRules(of index: Int) -> DraftMembers {
    var members = DraftMembers()
    if places[index].texts.count > 0 { return members }
    if let format = formats[index] {
      members.add("format", .text(format.name))
    } else {
      members.add("enum", enumeration(of: index, isText: false))
    }
    return members
  }

  private func enumeration(of index: Int, isText: Bool) -> JSONValue.Located? {
    guard let known = enums[index] else { return nil }
    var values = known.map { isText ? JSONValue.Located.text($0) : .number($0) }
    if places[index].nulls > 0 { values.append(JSONValue.Located(.null)) }
    return .list(values)
  }

  /// Returns the common pattern of ids such as `INV-000123`.
  private mutating func pattern(of texts: TextStatistics, at index: Int) -> JSONValue.Located? {
    guard let pattern = texts.shape.pattern else { return nil }
    let distinct = texts.tally.isOver ? ValueTally.limit : texts.tally.values.count
    guard distinct >= (options.strictness == .tight ? 5 : 20) else {
      note(index, "no pattern, though all values have the same shape: only \(distinct.counted("distinct value"))")
      return nil
    }
    return .text(pattern)
  }

  /// Adds the bounds of numbers and dates, where neither an enum nor a relation restricts them.
  func addBounds(of index: Int, to members: inout DraftMembers) {
    let place = places[index]
    if members.has("enum") { return }
    if place.numbers.count > 0, let range = place.numbers.range {
      if !members.has("minimum") { members.add("minimum", .number(range.minimum)) }
      members.add("maximum", .number(range.maximum))
    } else if let format = formats[index], let range = place.texts.range(as: format) {
      // With an offset, the first and the last years can lie outside of RFC 3339.
      guard [range.earliest, range.latest].allSatisfy({ text in ByteView.with(text) { format.accepts($0) } }) else { return }
      if !members.has("formatMinimum") { members.add("formatMinimum", .text(range.earliest)) }
      members.add("formatMaximum", .text(range.latest))
    }
  }
}
