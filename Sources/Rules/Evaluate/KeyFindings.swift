import Findings
import JSONEvents

/// What is wrong with keys, in words.
struct KeyFindings {
  private let program: RuleProgram
  private let redacts: Bool
  private(set) var collector: FindingCollector
  /// By the program's counted arrays, once all have been counted.
  var itemCounts: [Int] = []

  init(_ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.program = program
    redacts = options.redacts
    collector = FindingCollector(limit: options.maximumFindings)
  }

  mutating func add(_ violation: KeyViolation) {
    let step = Int(violation.step)
    let rule = program.rules[Int(program.steps[step].rule)]
    let label = program.stepLabels[step]
    let severity = label.severityIfEmpty.flatMap { hasTargets(program.steps[step]) ? nil : $0 } ?? rule.severity
    guard collector.keeps(offset: violation.offset) else {
      collector.count(severity: severity, code: rule.code)
      return
    }
    let excerpt = (violation.excerpt ?? violation.key).text
    collector.add(
      Finding(
        code: rule.code, keyword: rule.keyword, severity: severity, message: rule.message ?? message(violation, label),
        place: Place(
          pointer: "\(violation.container)/\(violation.index)" + (label.findingField.isEmpty ? "" : "/" + label.findingField),
          line: violation.line,
          column: violation.column, offset: violation.offset),
        schemaLocation: rule.pointer, excerpt: redacts ? nil : excerpt))
  }

  /// Whether there is any record that could have been meant.
  private func hasTargets(_ step: RuleProgram.Step) -> Bool {
    step.emptyCounts.indices.contains { row in
      let index = Int(program.stepFields[row])
      return itemCounts.indices.contains(index) && itemCounts[index] > 0
    }
  }

  private func message(_ violation: KeyViolation, _ label: RuleProgram.StepLabel) -> String {
    let isOwnField = label.fields == [label.findingField] || label.fields.count == 1 && label.fields[0].hasSuffix("*")
    let value = redacts ? "" : (violation.key.text ?? (isOwnField ? violation.excerpt?.text : nil)).map { " \($0)" } ?? ""
    let fields = label.fields.joined(separator: ", ")
    switch violation.kind {
    case .duplicate where label.fields.isEmpty: return "this item equals an earlier one"
    case .duplicate where label.fields.count == 1: return "the \(fields)\(value) stands in an earlier record already"
    case .duplicate: return "the combination of \(fields) stands in an earlier record already"
    case .dangling:
      return
        "no record of \(label.resource.isEmpty ? "the root" : label.resource) has the \(fields)\(value) that this one refers to"
    }
  }
}
