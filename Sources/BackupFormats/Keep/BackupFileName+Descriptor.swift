import JSONEvents
import Rules

extension BackupFileName {
  /// Reads a descriptor's `fileName`.
  init(_ value: JSONValue.Located) throws(RuleCompileError) {
    let pointer = "/backup/fileName"
    guard let source = value["pattern"], let pattern = source.string else {
      throw RuleCompileError("fileName needs a pattern, which names of backups fit", at: pointer, value.position)
    }
    do {
      expression = try Pattern(pattern)
    } catch {
      throw RuleCompileError("the pattern is wrong: \(error.message)", at: pointer + "/pattern", source.position)
    }
    self.pattern = pattern
    holds = value["holds"]?.string
    endings = value["endings"]?.array?.compactMap(\.string) ?? []
    template = value["template"]?.string
    guard let place = value["template"] else { return }
    func refusal(_ message: String) -> RuleCompileError {
      RuleCompileError(message, at: pointer + "/template", place.position)
    }
    guard let template, !template.isEmpty, !template.contains("/"), !template.hasPrefix(".") else {
      throw refusal("a template is a file's name, with {year}, {month}, {day}, {hour}, {minute} and {second} in it")
    }
    // Names are read as they are written: their digits are the parts, in this order.
    var rest = template
    var count = 0
    for part in Self.parts {
      guard let range = rest.firstRange(of: "{\(part.name)}") else { break }
      if rest[..<range.lowerBound].contains("{") { break }
      rest.replaceSubrange(rest.startIndex..<range.upperBound, with: rest[..<range.lowerBound])
      count += 1
    }
    guard count >= 3, !rest.contains("{"), !rest.contains("}") else {
      throw refusal("a template has {year}, {month} and {day}, and then {hour}, {minute} and {second}, in this order and once")
    }
    if rest.utf8.contains(where: { (48...57).contains($0) }) {
      throw refusal("a template has no digits of its own: they would be taken for the date's")
    }
    guard let sample = CivilTime(year: 2026, month: 11, day: 30, hour: 23, minute: 59, second: 58), let name = name(at: sample),
      fits(name)
    else { throw refusal("the pattern doesn't fit what the template makes, such as '\(nameOfSample ?? template)'") }
  }

  /// For a message.
  private var nameOfSample: String? {
    CivilTime(year: 2026, month: 11, day: 30, hour: 23, minute: 59, second: 58).flatMap { name(at: $0) }
  }
}
