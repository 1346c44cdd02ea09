public import JSONEvents
public import Rules

extension JSONEventWriter {
  /// Writes a date and time in RFC 3339 format, in UTC, with a fraction only if it isn't zero: `"2026-06-28T20:15:00Z"`.
  public mutating func dateTime(_ instant: Instant) { string(instant.description) }
}
