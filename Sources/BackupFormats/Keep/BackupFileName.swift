import ByteStreams
import JSONEvents
import Rules

/// The naming of a format's backup files: the descriptor's `fileName`.
///
///     "fileName": {
///       "pattern": "^my-app_[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9]{2}-[0-9]{2}\\.json$",
///       "template": "my-app_{year}-{month}-{day}_{hour}-{minute}.json",
///       "holds": "local time"
///     }
///
/// A name fits if it matches the pattern, optionally with the ending of a compressed file appended, or with a number before its
/// extension: the second of two backups with the same name is called `….json` with `-2` before the dot.
public struct BackupFileName: Sendable, Encodable {
  /// A regular expression of ECMA-262.
  public let pattern: String
  /// The name of new backups. `{year}` has four digits; `{month}`, `{day}`, `{hour}`, `{minute}` and `{second}` have two
  /// each. `nil` if unknown.
  public internal(set) var template: String?
  /// A description of what the name contains.
  public let holds: String?
  /// Further extensions of the format's backup files, in addition to `.json` and `.zip`: `.smilepile`.
  public let endings: [String]
  let expression: Pattern

  private enum CodingKeys: CodingKey { case pattern, template, holds }

  /// The parts of a time in a template, in order, with their numbers of digits.
  static let parts: [(name: String, digits: Int)] = [
    ("year", 4), ("month", 2), ("day", 2), ("hour", 2), ("minute", 2), ("second", 2),
  ]

  /// Returns true if a file with this name should contain a backup of the format.
  public func fits(_ name: String) -> Bool { plainName(of: name) != nil }

  /// Returns what a fitting name has before its first digit, unless new backups have the same: `safety_backup_before_import_`. Apps give
  /// exports and safety copies names of their own.
  package func series(of name: String) -> String? {
    guard let template, let plain = plainName(of: name) else { return nil }
    let start = plain.prefix { !("0"..."9").contains($0) }
    return template.prefix { $0 != "{" } == start ? nil : String(start)
  }

  /// Returns the creation time in a name, without a time zone: the digits of a fitting name, in order.
  ///
  /// - Returns: `nil` if the format has no template, or the name has no time of day: a day is not precise enough.
  public func time(in name: String) -> CivilTime? {
    guard template != nil, let plain = plainName(of: name) else { return nil }
    let digits = plain.utf8.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    guard digits.count == 12 || digits.count == 14 else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    return CivilTime(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: digits.count == 14 ? number(12..<14) : 0)
  }

  /// Returns the name of a new backup, or `nil` if the format has no template.
  ///
  /// - Parameters:
  ///   - time: the time of the backup.
  ///   - number: A number to insert before the extension if it is at least 2, for names that are taken.
  ///   - isPart: true for a backup of only some collections: `…-part.json`.
  public func name(at time: CivilTime, number: Int = 1, isPart: Bool = false) -> String? {
    guard var name = template else { return nil }
    let values = [time.year, time.month, time.day, time.hour, time.minute, time.second]
    for (part, value) in zip(Self.parts, values) {
      let text = String(value)
      name = name.replacing("{\(part.name)}", with: String(repeating: "0", count: max(0, part.digits - text.count)) + text)
    }
    if number < 2, !isPart { return name }
    let (stem, ending) = Self.split(name)
    return stem + (isPart ? Self.partMark : "") + (number < 2 ? "" : "-\(number)") + ending
  }

  /// The end of the name of a backup of only some collections, before its number and extension.
  package static let partMark = "-part"

  /// Returns true if the name is that of a backup of only some collections.
  package static func isPart(_ name: String) -> Bool {
    let stem = split(CompressionFormat.plainName(of: name)).stem
    return stem.hasSuffix(partMark) || withoutNumber(stem)?.hasSuffix(partMark) == true
  }

  /// Returns a copy whose names begin with `start`, such as `ev_charging_tracker_export`, and continue as usual. `nil` if the pattern
  /// doesn't match such names.
  public func starting(with start: String) -> BackupFileName? {
    guard let template, let digits = template.firstIndex(of: "{"), let time = CivilTime(year: 2000, month: 1, day: 1, hour: 0)
    else {
      return nil
    }
    // The separator may be left out.
    for start in [start, start + template[..<digits].suffix(1)] {
      var other = self
      other.template = start + template[digits...]
      if let name = other.name(at: time), fits(name) { return other }
    }
    return nil
  }

  /// Returns the name that matches the pattern, without additions, or `nil` if it doesn't fit.
  private func plainName(of name: String) -> String? {
    let name = CompressionFormat.plainName(of: name)
    let matcher = Pattern.Matcher()
    func matches(_ name: String) -> Bool { ByteView.with(name) { matcher.match(expression, in: $0) == .match } }
    if matches(name) { return name }
    let (stem, ending) = Self.split(name)
    for stem in [stem, Self.withoutNumber(stem)].compactMap(\.self) {
      let whole = stem.hasSuffix(Self.partMark) ? String(stem.dropLast(Self.partMark.count)) : stem
      if matches(whole + ending) { return whole + ending }
    }
    return nil
  }

  /// Returns the stem of a name without the number of a second backup of the same name, or `nil` if it has none.
  private static func withoutNumber(_ stem: String) -> String? {
    guard let dash = stem.lastIndex(of: "-") else { return nil }
    let digits = stem[stem.index(after: dash)...]
    guard let number = Int(digits), number > 1, String(number) == digits else { return nil }
    return String(stem[..<dash])
  }

  /// Splits a name before its last dot.
  private static func split(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: ".") else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}

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
