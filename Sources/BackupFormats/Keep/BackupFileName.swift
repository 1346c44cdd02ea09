import JSONEvents
import Rules

/// How files are called that hold backups of a format: the descriptor's `fileName`.
///
///     "fileName": {
///       "pattern": "^my-app_[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9]{2}-[0-9]{2}\\.json$",
///       "template": "my-app_{year}-{month}-{day}_{hour}-{minute}.json",
///       "holds": "local time"
///     }
///
/// A name fits as the pattern has it, with `.lz4` behind it, and with a number before its ending: of two backups that would have the same name the second
/// is called `….json` with `-2` before the dot.
public struct BackupFileName: Sendable {
  /// A regular expression of ECMA-262.
  public let pattern: String
  /// What new backups are called, each `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}` and `{second}` standing for two digits, or four; `nil`: nobody
  /// has said.
  public let template: String?
  /// What the name tells, in words.
  public let holds: String?
  /// Further endings of backup files of the format, beside `.json` and `.zip`: `.smilepile`.
  public let endings: [String]
  let expression: Pattern

  /// The parts of a time that a template may have, in their order, and how many digits each has.
  static let parts: [(name: String, digits: Int)] = [
    ("year", 4), ("month", 2), ("day", 2), ("hour", 2), ("minute", 2), ("second", 2),
  ]

  /// Whether a file of this name should hold a backup of the format.
  public func fits(_ name: String) -> Bool { plainName(of: name) != nil }

  /// When the name says that the backup was made, by a clock that it doesn't name: the digits of a name that fits, in their order.
  ///
  /// - Returns: `nil` for a format whose names have no template, and for names that tell no time of day: a day alone says too little.
  public func time(in name: String) -> CivilTime? {
    guard template != nil, let plain = plainName(of: name) else { return nil }
    let digits = plain.utf8.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    guard digits.count == 12 || digits.count == 14 else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    return CivilTime(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: digits.count == 14 ? number(12..<14) : 0)
  }

  /// What a backup that is made now is called; `nil` for a format whose names have no template.
  ///
  /// - Parameter number: from 2 on it stands before the ending, for names that are taken.
  public func name(at time: CivilTime, number: Int = 1) -> String? {
    guard var name = template else { return nil }
    let values = [time.year, time.month, time.day, time.hour, time.minute, time.second]
    for (part, value) in zip(Self.parts, values) {
      let text = String(value)
      name = name.replacing("{\(part.name)}", with: String(repeating: "0", count: max(0, part.digits - text.count)) + text)
    }
    if number < 2 { return name }
    let (stem, ending) = Self.split(name)
    return "\(stem)-\(number)\(ending)"
  }

  /// The name as the pattern has it, without what may be added to it; `nil` if it doesn't fit.
  private func plainName(of name: String) -> String? {
    let name = name.lowercased().hasSuffix(".lz4") ? String(name.dropLast(4)) : name
    let matcher = Pattern.Matcher()
    func matches(_ name: String) -> Bool { ByteView.with(name) { matcher.match(expression, in: $0) == .match } }
    if matches(name) { return name }
    let (stem, ending) = Self.split(name)
    guard let dash = stem.lastIndex(of: "-") else { return nil }
    let digits = stem[stem.index(after: dash)...]
    guard let number = Int(digits), number > 1, String(number) == digits else { return nil }
    let plain = String(stem[..<dash]) + ending
    return matches(plain) ? plain : nil
  }

  /// What stands before the last dot, and the rest.
  private static func split(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: ".") else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}
