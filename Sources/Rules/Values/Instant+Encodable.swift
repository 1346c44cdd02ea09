/// A report has instants as strings in RFC 3339 format, in UTC: `"2026-06-28T20:15:00Z"`.
extension Instant: Encodable {
  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
