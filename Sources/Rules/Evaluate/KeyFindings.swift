import Findings
import JSONEvents

/// What is wrong with keys, in words.
struct KeyFindings {
  private let program: RuleProgram
  private let redacts: Bool
  private(set) var collector: FindingCollector
  /// By the program's counted arrays, once all have been counted.
  var itemCounts: [Int] = []
  /// Lists that hold a dangling reference, as far as somebody looks into lists, and what looked into one and found nothing there.
  private var unsoundLists: Set<String> = []
  private var heldBack: [KeyViolation] = []
  private let looksIntoLists: Bool
  /// So many of either are kept; beyond that each finding stands for itself.
  private static let listLimit = 1 << 16

  init(_ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.program = program
    redacts = options.redacts
    looksIntoLists = program.stepLabels.contains { $0.list != nil }
    collector = FindingCollector(limit: options.maximumFindings)
  }

  /// Takes a violation, whose finding waits for ``finish()`` where a fault in the list that it looks into may be the one cause.
  mutating func add(_ violation: KeyViolation) {
    if looksIntoLists, violation.kind == .dangling {
      if program.stepLabels[Int(violation.step)].list != nil, heldBack.count < Self.listLimit {
        heldBack.append(violation)
        return
      }
      if program.steps[Int(violation.step)].isFanned, unsoundLists.count < Self.listLimit {
        unsoundLists.insert(violation.container)
      }
    }
    report(violation)
  }

  /// All violations have come.
  mutating func finish() {
    for violation in heldBack where !unsoundLists.contains(list(of: violation)) { report(violation) }
    heldBack = []
  }

  /// The list that a reference looked into, as a JSON Pointer.
  private func list(of violation: KeyViolation) -> String {
    guard let list = program.stepLabels[Int(violation.step)].list else { return "" }
    var pointer = Substring(violation.container)
    if !program.steps[Int(violation.step)].isFanned { pointer += "/\(violation.index)" }
    for _ in 0..<list.levels { pointer = pointer[..<(pointer.lastIndex(of: "/") ?? pointer.startIndex)] }
    return pointer + list.tokens.map { "/" + $0.pointerToken }.joined()
  }

  private mutating func report(_ violation: KeyViolation) {
    let step = Int(violation.step)
    let rule = program.rules[Int(program.steps[step].rule)]
    let label = program.stepLabels[step]
    var severity = rule.severity
    if let ifEmpty = label.ifEmpty, lacksTargets(program.steps[step]) {
      guard case .graded(let grade) = ifEmpty else { return }
      severity = grade
    }
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

  /// Whether a collection holds nothing that might have held the record which was meant.
  private func lacksTargets(_ step: RuleProgram.Step) -> Bool {
    step.emptyCounts.indices.contains { row in
      let index = Int(program.stepFields[row])
      return !itemCounts.indices.contains(index) || itemCounts[index] == 0
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
