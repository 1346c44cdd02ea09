public import Rules

/// The age of a backup: `30d`, `12h`, `4w`, `6m` (months), `1y`, `1y6m`, or an ISO 8601 duration such as `P30D` or `PT12H`.
///
/// Months and years are calendar months and years.
public struct BackupAge: Sendable, Hashable, CustomStringConvertible {
  /// The age as given.
  public let description: String
  private let span: CalendarDuration

  /// Parses an age. Returns `nil` if `text` isn't one, or exceeds 10 000 years.
  ///
  /// - Parameter text: units from the largest to the smallest, each at most once.
  public init?(_ text: String) {
    description = text
    guard let span = CalendarDuration(Self.standard(text) ?? text, negative: true) else { return nil }
    self.span = span
  }

  /// Returns the instant that is this age before another.
  public func before(_ instant: Instant) -> Instant { span.added(to: instant) }

  /// Translates the short form to ISO 8601. Returns `nil` if `text` isn't in the short form.
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
