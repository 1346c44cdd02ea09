import Findings
import JSONEvents

/// What is wrong with keys, in words.
struct KeyFindings {
  private let program: RuleProgram
  private let redacts: Bool
  private(set) var collector: FindingCollector

  init(_ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.program = program
    redacts = options.redacts
    collector = FindingCollector(limit: options.maximumFindings)
  }

  mutating func add(_ violation: KeyViolation) {
    let step = Int(violation.step)
    let rule = program.rules[Int(program.steps[step].rule)]
    guard collector.keeps(offset: violation.offset) else {
      collector.count(severity: rule.severity, code: rule.code)
      return
    }
    let label = program.stepLabels[step]
    let excerpt = (violation.excerpt ?? violation.key).text
    collector.add(
      Finding(
        code: rule.code, keyword: rule.keyword, severity: rule.severity, message: rule.message ?? message(violation, label),
        place: Place(
          pointer: "\(violation.container)/\(violation.index)/\(label.findingField.pointerToken)", line: violation.line,
          column: violation.column, offset: violation.offset),
        schemaLocation: rule.pointer, excerpt: redacts ? nil : excerpt))
  }

  private func message(_ violation: KeyViolation, _ label: RuleProgram.StepLabel) -> String {
    let value = redacts ? "" : violation.key.text.map { " \($0)" } ?? ""
    let fields = label.fields.joined(separator: ", ")
    switch violation.kind {
    case .duplicate where label.fields.count == 1: return "the \(fields)\(value) stands in an earlier record already"
    case .duplicate: return "the combination of \(fields) stands in an earlier record already"
    case .dangling: return "no record of \(label.resource) has the \(fields)\(value) that this one refers to"
    }
  }
}
