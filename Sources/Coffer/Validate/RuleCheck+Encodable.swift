import Findings
import Rules

/// The check in a report: the members of its `ValidationReport`, and `cost`, a `RuleCost`, if the rules can be used.
extension RuleCheck: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    try encoder.encode(["cost": IfPresent(cost)])
  }
}
