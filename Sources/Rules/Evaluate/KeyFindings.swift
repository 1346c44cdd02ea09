import ByteStreams
import Findings
import JSONEvents

/// Turns key violations into findings.
struct KeyFindings {
  private let program: RuleProgram
  private let redacts: Bool
  private(set) var collector: FindingCollector
  /// The item counts of the program's counted arrays, set once they are complete.
  var itemCounts: [Int] = []
  /// The document's version, set at its end. `nil` if unknown.
  var version: Int64?
  /// Lists with a dangling reference, if a rule looks into lists, and the violations of such rules.
  private var invalidLists: Set<String> = []
  private var heldBack: [KeyViolation] = []
  private let looksIntoLists: Bool
  /// The duplicates, by the step of their key.
  private var graded: [Int: GradedDuplicates] = [:]
  private let gradesDuplicates: Bool
  private let detailLimit: Int
  private let keepsOffsets: Bool
  /// Violations with findings.
  private(set) var listed: [KeySearch.Subject] = []
  /// The most entries in each of these; findings beyond it are reported independently.
  static let listLimit = 1 << 16

  init(_ program: RuleProgram, _ options: EvaluationOptions) {
    self.program = program
    redacts = options.redacts
    looksIntoLists = program.looksIntoLists
    gradesDuplicates = program.stepLabels.contains { $0.ifEqual != nil }
    keepsOffsets = options.offsetLimit > 0
    detailLimit = min(options.maximumFindings, Self.listLimit)
    // Violations of the same key come with the places of the first ones only.
    collector = FindingCollector(
      limit: options.maximumFindings, memoryLimit: options.findingMemory, bounds: options.findingBounds, isSpread: false)
  }

  /// Takes a violation. Its finding waits for ``finish(faultyLists:)`` if a defect of the list that it looks into may be its only
  /// cause.
  mutating func add(_ violation: KeyViolation) {
    if looksIntoLists, violation.kind == .dangling {
      if program.stepLabels[Int(violation.step)].list != nil, heldBack.count < Self.listLimit {
        heldBack.append(violation)
        return
      }
      if program.steps[Int(violation.step)].isMultivalued, invalidLists.count < Self.listLimit {
        invalidLists.insert(String(violation.collection))
      }
    }
    if gradesDuplicates, program.stepLabels[Int(violation.step)].ifEqual != nil { return grade(violation) }
    report(violation)
  }

  /// Reports the remaining findings, after the last violation.
  ///
  /// - Parameter faultyLists: lists with an item that has another defect.
  mutating func finish(faultyLists: [String]) {
    invalidLists.formUnion(faultyLists)
    for violation in heldBack where !invalidLists.contains(list(of: violation)) { report(violation) }
    heldBack = []
    for (step, duplicates) in graded { report(duplicates, of: step) }
    graded = [:]
  }

  /// Keeps a duplicate until it is known whether its record equals an earlier one.
  private mutating func grade(_ violation: KeyViolation) {
    let step = Int(violation.step)
    if program.steps[step].kind == .equalRecord {
      graded[step - 1, default: GradedDuplicates(limit: detailLimit, keepsOffsets: keepsOffsets)].addEqual(at: violation.offset)
    } else {
      graded[step, default: GradedDuplicates(limit: detailLimit, keepsOffsets: keepsOffsets)].add(violation)
    }
  }

  private mutating func report(_ duplicates: GradedDuplicates, of step: Int) {
    let rule = program.rules[Int(program.steps[step].rule)]
    guard let ifEqual = program.stepLabels[step].ifEqual else { return }
    var (equal, others) = (duplicates.equalCount, duplicates.count - duplicates.equalCount)
    let details = duplicates.details
    for (violation, isEqual) in details {
      if isEqual { equal -= 1 } else { others -= 1 }
      report(violation, isEqual: isEqual)
    }
    for (offset, isEqual) in duplicates.offsets(without: Set(details.map(\.violation.offset))) {
      switch ifEqual {
      case .graded(let severity) where isEqual: collector.keep(offset: offset, of: rule.graded(severity))
      case _ where isEqual: break
      default: collector.keep(offset: offset, of: rule.graded(rule.severity))
      }
    }
    if case .graded(let severity) = ifEqual { collector.count(equal, rule.graded(severity)) }
    collector.count(others, rule.graded(rule.severity))
  }

  /// Returns the list that a reference looked into, as a JSON Pointer.
  private func list(of violation: KeyViolation) -> String {
    guard let list = program.stepLabels[Int(violation.step)].list else { return "" }
    var pointer =
      program.steps[Int(violation.step)].isMultivalued ? violation.collection : Substring(violation.record)
    for _ in 0..<list.levels { pointer = pointer[..<(pointer.lastIndex(of: "/") ?? pointer.startIndex)] }
    return pointer + list.tokens.pointer
  }

  private mutating func report(_ violation: KeyViolation, isEqual: Bool = false) {
    let step = Int(violation.step)
    let rule = program.rules[Int(program.steps[step].rule)]
    let label = program.stepLabels[step]
    var severity = rule.severity
    if let ifEmpty = label.ifEmpty, isEarly(ifEmpty), lacksTargets(program.steps[step]) {
      guard case .graded(let grade) = ifEmpty.leniency else { return }
      severity = grade
    }
    if isEqual, let ifEqual = label.ifEqual {
      guard case .graded(let grade) = ifEqual else { return }
      severity = grade
    }
    collector.count(violation.count - 1, rule.graded(severity))
    guard collector.takes(rule.graded(severity), at: violation.offset) else { return }
    let subject = KeySearch.Subject(violation: violation, isEqual: isEqual)
    // Rules with messages of their own tell what they want.
    if rule.message == nil { list(subject) }
    let place = FindingSubject(
      pointer: violation.pointer(in: program),
      position: TextPosition(offset: violation.offset, line: violation.line, column: violation.column),
      excerpt: (violation.excerpt ?? violation.key).text)
    var finding = Finding(rule, place, rule.message ?? subject.message(program, redacts: redacts), redacts: redacts)
    finding.severity = severity
    collector.add(finding)
  }

  /// Remembers a violation for a `KeySearch`, and forgets those whose findings are no longer kept.
  private mutating func list(_ subject: KeySearch.Subject) {
    if listed.count >= 2 * detailLimit {
      let kept = Set(collector.findings().map { $0.place.offset })
      listed.removeAll { !kept.contains($0.violation.offset) }
      listed.sort { $0.violation.offset < $1.violation.offset }
      listed.removeLast(max(0, listed.count - detailLimit))
    }
    listed.append(subject)
  }

  private func isEarly(_ ifEmpty: Schema.ForeignKey.IfEmpty) -> Bool {
    guard let before = ifEmpty.before, let version else { return true }
    return version < Int64(before)
  }

  /// Returns whether a collection that could hold the target record is empty.
  private func lacksTargets(_ step: RuleProgram.Step) -> Bool {
    step.emptyCounts.indices.contains { row in
      let index = Int(program.stepFields[row])
      return !itemCounts.indices.contains(index) || itemCounts[index] == 0
    }
  }
}

/// Duplicates of one key, graded by whether their records are equal (`ifEqual`).
///
/// Each equal record causes two violations at the same offset: of its key, and of the key combined with the whole record. So the
/// counts are exact regardless of what is kept, and the first equal ones are always among the first duplicates.
///
/// Memory: at most 2 × `limit` violations and as many offsets, or the offsets of all.
struct GradedDuplicates {
  private let limit: Int
  private(set) var count = 0
  private(set) var equalCount = 0
  /// The first violations in document order.
  private var kept: [KeyViolation] = []
  private var equalOffsets: [Int] = []
  /// The offsets of all violations, if they are wanted.
  private var offsets: [Int] = []
  private let keepsOffsets: Bool

  init(limit: Int, keepsOffsets: Bool = false) {
    self.limit = limit
    self.keepsOffsets = keepsOffsets
  }

  mutating func add(_ violation: KeyViolation) {
    count += 1
    if keepsOffsets { offsets.append(violation.offset) }
    kept.append(violation)
    if kept.count >= 2 * limit { kept = Array(first.prefix(limit)) }
  }

  mutating func addEqual(at offset: Int) {
    equalCount += 1
    equalOffsets.append(offset)
    if !keepsOffsets, equalOffsets.count >= 2 * limit { equalOffsets = Array(equalOffsets.sorted().prefix(limit)) }
  }

  /// The first duplicates in document order, each with whether its record equals an earlier one.
  var details: [(violation: KeyViolation, isEqual: Bool)] {
    let equal = Set(equalOffsets)
    return first.prefix(limit).map { ($0, equal.contains($0.offset)) }
  }

  /// Returns the offsets of all violations but some, each with whether its record equals an earlier one.
  func offsets(without others: Set<Int>) -> [(offset: Int, isEqual: Bool)] {
    let equal = Set(equalOffsets)
    return offsets.filter { !others.contains($0) }.map { ($0, equal.contains($0)) }
  }

  private var first: [KeyViolation] { kept.sorted { $0.offset < $1.offset } }
}
