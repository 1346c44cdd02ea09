public import Rules

/// A span of time as people say how old a backup may be: `30d`, `12h`, `4w`, `6m` (months), `1y`, `1y6m`, or ISO 8601's `P30D`, `PT12H`.
///
/// Months and years are those of the calendar.
public struct BackupAge: Sendable, Hashable, CustomStringConvertible {
  /// As it was written.
  public let description: String
  private let span: CalendarDuration

  /// - Parameter text: units from the largest to the smallest, each once; `nil` if it is no span of time, or one of more than 10 000 years.
  public init?(_ text: String) {
    description = text
    guard let span = CalendarDuration(Self.standard(text) ?? text, negative: true) else { return nil }
    self.span = span
  }

  /// The moment that is so long before another.
  public func before(_ instant: Instant) -> Instant { span.added(to: instant) }

  /// The short form as ISO 8601 has it; `nil`: it is none.
  private static func standard(_ text: String) -> String? {
    guard let first = text.utf8.first, (48...57).contains(first) else { return nil }
    var (date, time) = ("", "")
    for character in text {
      switch character {
      case "0"..."9": time.append(character)
      case "y", "m", "w", "d":
        date += time + character.uppercased()
        time = ""
      case "h": return text.last == "h" && text.filter { $0 == "h" }.count == 1 ? "P\(date)T\(time)H" : nil
      default: return nil
      }
    }
    return time.isEmpty ? "P" + date : nil
  }
}
