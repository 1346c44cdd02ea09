import JSONEvents

/// A bound on a format's values, with the clock read.
struct FormatBoundValue: Sendable {
  enum Operand: Sendable {
    case instant(Instant)
    case decimal(ExactDecimal)
  }

  let format: StringFormat
  let operand: Operand

  init(_ format: StringFormat, _ operand: Schema.FormatOperand, now: Instant) {
    self.format = format
    switch operand {
    case .instant(let instant): self.operand = .instant(instant)
    case .now(let duration): self.operand = .instant(duration?.added(to: now) ?? now)
    case .decimal(let decimal): self.operand = .decimal(decimal)
    case .data: preconditionFailure("a bound by $data is no constant")
    }
  }
}
