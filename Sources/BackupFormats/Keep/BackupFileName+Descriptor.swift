import ByteStreams
import Rules

extension BackupFileName {
  /// Reads a descriptor's `fileName`.
  init(_ value: RuleValue) throws(CofferError) {
    guard let pattern = value["pattern"] else {
      throw value.error("fileName needs a pattern that matches the names of backups")
    }
    expression = try pattern.expectPattern()
    self.pattern = try pattern.expectString()
    holds = value["holds"]?.string
    endings = value["endings"]?.items?.compactMap(\.string) ?? []
    template = value["template"]?.string
    guard let place = value["template"] else { return }
    guard let template, !template.isEmpty, !template.contains("/"), !template.hasPrefix(".") else {
      throw place.error("expected a file name with {year}, {month}, {day}, {hour}, {minute} and {second}")
    }
    // Names are parsed by their digits, so the parts must be in this order.
    var rest = template
    var count = 0
    for part in Self.parts {
      guard let range = rest.firstRange(of: "{\(part.name)}") else { break }
      if rest[..<range.lowerBound].contains("{") { break }
      rest.replaceSubrange(rest.startIndex..<range.upperBound, with: rest[..<range.lowerBound])
      count += 1
    }
    guard count >= 3, !rest.contains("{"), !rest.contains("}") else {
      throw place.error(
        "a template needs {year}, {month} and {day}, then optionally {hour}, {minute}, {second}, in order, each once")
    }
    if rest.utf8.contains(where: { (48...57).contains($0) }) {
      throw place.error("a template must not contain digits: they would be read as part of the date")
    }
    guard let sample = CivilTime(year: 2026, month: 11, day: 30, hour: 23, minute: 59, second: 58), let name = name(at: sample),
      fits(name)
    else { throw place.error("the pattern doesn't match a name from the template: '\(nameOfSample ?? template)'") }
  }

  /// A sample name for messages.
  private var nameOfSample: String? {
    CivilTime(year: 2026, month: 11, day: 30, hour: 23, minute: 59, second: 58).flatMap { name(at: $0) }
  }
}
