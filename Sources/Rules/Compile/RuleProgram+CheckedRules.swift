import Findings

extension RuleProgram {
  /// Returns the rules for reports, and the states of the values that those with a count apply to.
  static func ruleList(_ rules: [Rule], _ details: [RuleDetails]) -> ([CheckedRule], [(schemaLocation: String, states: [Int32])])
  {
    var checked: [CheckedRule] = []
    var states: [String: [Int32]] = [:]
    var indices: [FindingRule: Int] = [:]
    var ambiguous: Set<Int> = []
    for (rule, details) in zip(rules, details) where !details.isCondition {
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
      if !details.states.isEmpty {
        checked[index].isCounted = true
        states[key.schemaLocation, default: []] += details.states
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
    let order = checked.indices.sorted { (checked[$0].code, $0) < (checked[$1].code, $1) }
    return (order.map { checked[$0] }, states.sorted { $0.key < $1.key }.map { ($0.key, Set($0.value).sorted()) })
  }
}
