import JSONEvents

/// A bound on a format's values, with the clock read.
enum FormatBoundValue: Sendable {
  case instant(Instant)
  case decimal(ExactDecimal)

  init(_ operand: Schema.FormatOperand, now: Instant) {
    switch operand {
    case .instant(let instant): self = .instant(instant)
    case .now(let duration): self = .instant(duration?.added(to: now) ?? now)
    case .decimal(let decimal): self = .decimal(decimal)
    case .data: preconditionFailure("a bound by $data is no constant")
    }
  }
}
