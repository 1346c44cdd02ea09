/// A bound on a temporal format, with `now` resolved.
struct InstantBound: BitwiseCopyable {
  let format: StringFormat
  let instant: Instant

  /// Creates a bound. The instant of a bound of another kind is unused.
  init(_ bound: (format: StringFormat, operand: Schema.FormatOperand), now: Instant) {
    format = bound.format
    switch bound.operand {
    case .instant(let instant): self.instant = instant
    case .now(let duration): instant = duration?.added(to: now) ?? now
    case .decimal, .data: instant = now
    }
  }
}
