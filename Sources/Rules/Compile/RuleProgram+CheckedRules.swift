package import Findings

extension RuleProgram {
  /// The rules for reports, in the order of their codes, then of the rule document.
  ///
  /// Conditions (`if`, `not`, `when`) are not among them. Alternatives (`anyOf`) are: the failures of the nearest one are findings.
  package var checkedRules: [CheckedRule] {
    var checked: [CheckedRule] = []
    var indices: [FindingRule: Int] = [:]
    var ambiguous: Set<Int> = []
    for (rule, details) in zip(rules, ruleDetails) where !details.isCondition {
      let key = rule.graded(rule.severity)
      let expectation =
        rule.member != nil && rule.cause == nil ? "present" : rule.expectation == "nothing" ? "not allowed" : rule.expectation
      let index = indices[key] ?? checked.count
      if index == checked.count {
        indices[key] = index
        checked.append(
          CheckedRule(
            code: rule.code, keyword: rule.keyword, severity: rule.severity, message: rule.message,
            schemaLocation: key.schemaLocation, expectation: expectation.isEmpty ? nil : expectation))
      } else if checked[index].expectation != expectation {
        // For example, the members that others require.
        checked[index].expectation = nil
      }
      if let place = details.place {
        if checked[index].places.count < CheckedRule.placeLimit, !checked[index].places.contains(place) {
          checked[index].places.append(place)
        }
      } else {
        ambiguous.insert(index)
      }
    }
    for index in ambiguous { checked[index].places = [] }
    return checked.enumerated().sorted { ($0.element.code, $0.offset) < ($1.element.code, $1.offset) }.map(\.element)
  }
}
