package import Findings

extension RuleProgram {
  /// The most places that are listed for a rule.
  private static let placeLimit = 10

  /// The rules for reports, in the order of their codes; those that agree in all but their place are one.
  ///
  /// Conditions (`if`, `when`) and alternatives (`anyOf`) are among them, although their failures are not findings.
  package func checkedRules() -> [CheckedRule] {
    var checked: [CheckedRule] = []
    var indices: [CheckedRule: Int] = [:]
    for rule in rules {
      let entry = CheckedRule(code: rule.code, keyword: rule.keyword, severity: rule.severity, message: rule.message)
      let index = indices[entry] ?? checked.count
      if index == checked.count {
        indices[entry] = index
        checked.append(entry)
      }
      let isListed = checked[index].schemaLocations.last == rule.pointer
      if !isListed, checked[index].schemaLocations.count < Self.placeLimit { checked[index].schemaLocations.append(rule.pointer) }
    }
    return checked.enumerated().sorted { ($0.element.code, $0.offset) < ($1.element.code, $1.offset) }.map(\.element)
  }
}
