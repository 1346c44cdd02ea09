public import JSONEvents
public import Rules

extension JSONEventWriter {
  /// A date and time as RFC 3339 writes it, in UTC, with a fraction only where there is one: `"2026-06-28T20:15:00Z"`.
  public mutating func dateTime(_ instant: Instant) { string(instant.description) }
}
