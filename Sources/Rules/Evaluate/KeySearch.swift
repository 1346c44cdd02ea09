import ByteStreams
package import Findings
import JSONEvents

/// Looks again for the keys of a document's findings, in a second evaluation of the document: a duplicate is compared with a record
/// of which only the key is remembered, and that a reference differs from a key only in case is seen only beside that key.
///
///     findings      duplicate id 28 · carId 'A1' refers to no record · duplicate combination of day, slot
///     second time   id 28: /cars/3 in line 61 · a record has 'a1' · day 2026-05-01, slot 7
///
/// It costs an evaluation as far as the last duplicate, or to the end if a reference dangles.
package struct KeySearch: Sendable {
  /// A violation with a finding, and what is known about it.
  struct Subject: Sendable {
    var violation: KeyViolation
    /// True if its record equals an earlier one.
    var isEqual: Bool
    var details = Details()
  }

  /// What a message can tell in addition.
  struct Details: Sendable {
    /// The first record that has the key: its JSON Pointer and line.
    var first: (pointer: String, line: Int)?
    /// The values of a key of several fields; `nil` for those that are only known by their digests.
    var parts: [String?] = []
    /// A key that differs from the dangling one only in its type, its case, or spaces around it.
    var similar: KeyValue?
  }

  package let program: RuleProgram
  /// Options for the second evaluation, which has the first one's digests.
  package let options: RuleEvaluator.Options
  private var subjects: [Subject]
  /// The numbers of the subjects, by their keys and, for dangling references, by their keys' unified spelling.
  private var byKey: [KeyValue: [Int]] = [:]
  private var bySpelling: [String: [Int]] = [:]
  /// The offset after which nothing more can be found.
  private let end: Int

  init(_ subjects: [Subject], _ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.program = program
    self.subjects = subjects
    var options = options
    options.maximumFindings = 0
    options.logsKeyParts = true
    self.options = options
    var end = -1
    for (number, subject) in subjects.enumerated() {
      let violation = subject.violation
      byKey[violation.key, default: []].append(number)
      end = max(end, violation.offset)
      guard violation.kind == .dangling, let spelling = violation.key.unifiedSpelling else { continue }
      bySpelling[spelling, default: []].append(number)
      end = .max
    }
    self.end = end
  }

  /// Returns whether nothing more can be found from `offset` on.
  package func isComplete(at offset: Int) -> Bool { offset > end }

  /// Takes the operations of the next stretch of the document.
  mutating func take(_ log: KeyLog, _ lines: inout LineCursor) {
    for row in log.entries.indices {
      let entry = log.entries[row]
      switch entry.operation {
      case .claim, .claimInScope, .define, .refer: break
      case .openScopes, .closeScopes: continue
      }
      for number in byKey[entry.key] ?? [] { take(row, of: log, for: number, &lines) }
      guard !bySpelling.isEmpty, let set = entry.definedSet, let spelling = entry.key.unifiedSpelling else { continue }
      for number in bySpelling[spelling] ?? [] where set == program.steps[Int(subjects[number].violation.step)].keySet {
        subjects[number].details.similar = subjects[number].details.similar ?? entry.key
      }
    }
  }

  private mutating func take(_ row: Int, of log: KeyLog, for number: Int, _ lines: inout LineCursor) {
    let entry = log.entries[row]
    let violation = subjects[number].violation
    if entry.step == violation.step, entry.offset == violation.offset {
      subjects[number].details.parts = (log.parts[row] ?? []).map(\.text)
      return
    }
    guard violation.kind == .duplicate, entry.offset < violation.offset, subjects[number].details.first == nil else { return }
    let step = program.steps[Int(violation.step)]
    let isSameSet =
      switch entry.operation {
      case .claim(let set): !step.isScoped && set == step.keySet
      case .claimInScope: entry.step == violation.step && log.containers[Int(entry.container)] == violation.container
      case .define, .refer, .openScopes, .closeScopes: false
      }
    guard isSameSet else { return }
    let first = log.violation(.duplicate, entry, &lines)
    subjects[number].details.first = ("\(first.container)/\(first.index)", first.line)
  }

  /// Gives findings messages that tell what was found.
  package func explain(_ findings: inout [Finding]) {
    struct Site: Hashable {
      let offset: Int
      let pointer: String
      let schemaLocation: String
    }
    var numbers: [Site: Int] = [:]
    for (number, subject) in subjects.enumerated() {
      let rule = program.rules[Int(program.steps[Int(subject.violation.step)].rule)]
      // A cut pointer is one of a finding.
      let place = Place(pointer: subject.violation.pointer(in: program), line: 0, column: 0, offset: subject.violation.offset)
      numbers[Site(offset: place.offset, pointer: place.pointer, schemaLocation: rule.pointer)] = number
    }
    for index in findings.indices where findings[index].place.entry == nil {
      let place = findings[index].place
      let site = Site(offset: place.offset, pointer: place.pointer, schemaLocation: findings[index].schemaLocation)
      guard let number = numbers[site] else { continue }
      let message = subjects[number].message(program, redacts: options.redacts, text: findings[index].excerpt)
      findings[index].message = message.shortened(to: Finding.messageLimit)
    }
  }
}

extension KeyLog.Entry {
  /// The set of the document to which the entry adds its key.
  fileprivate var definedSet: Int32? {
    switch operation {
    case .claim(let set), .define(let set): set
    case .claimInScope, .refer, .openScopes, .closeScopes: nil
    }
  }
}

extension KeyValue {
  /// The same text for all keys that differ only in case, in spaces around them, or in being a number or a string. `nil` for values that
  /// are only known by their digests.
  fileprivate var unifiedSpelling: String? { text?.trimmingSpaces.lowercased() }
}

// MARK: Messages

extension KeyViolation {
  /// The place of the finding: the field, or the item.
  func pointer(in program: RuleProgram) -> String {
    let field = program.stepLabels[Int(step)].findingField
    return "\(container)/\(index)" + (field.isEmpty ? "" : "/" + field)
  }
}

extension KeySearch.Subject {
  /// Returns the sentence about the violation.
  ///
  /// - Parameter text: the value at the finding's place, if the violation doesn't have it.
  func message(_ program: RuleProgram, redacts: Bool, text: String? = nil) -> String {
    let label = program.stepLabels[Int(violation.step)]
    let key = fields(of: label, redacts: redacts, text)
    let first = details.first.map { "\($0.pointer) in line \($0.line)" }
    switch violation.kind {
    case .duplicate where isEqual:
      return "duplicate \(key): an earlier record is equal to this one"
        + (first.map { "; the first with this key is \($0)" } ?? "")
    case .duplicate where label.fields.isEmpty: return "duplicate item: \(first ?? "an earlier item") is equal"
    case .duplicate where label.fields.count == 1: return "duplicate \(key): \(first ?? "an earlier record") has it"
    case .duplicate: return "duplicate combination of \(key): \(first ?? "an earlier record") has it"
    case .dangling:
      let difference = redacts ? nil : details.similar.flatMap { violation.key.difference(of: $0) }
      return "\(key) refers to no record of \(label.resource.isEmpty ? "the root" : label.resource)" + (difference ?? "")
    }
  }

  /// `carId 99`; `day 2026-05-01, slot 7`; without values that are not known or left out.
  private func fields(of label: RuleProgram.StepLabel, redacts: Bool, _ text: String?) -> String {
    var values: [String?] = []
    if label.fields.count == 1 {
      // A key that is limited to a part of the document has no text; the field does.
      let isOwnField = label.fields[0] == label.findingField || label.fields[0].split(separator: "/").contains("*")
      values = [violation.key.text ?? (isOwnField ? violation.excerpt?.text ?? text?.shortened(to: 100) : nil)]
    } else if details.parts.count == label.fields.count {
      values = details.parts
    }
    if redacts || values.isEmpty { return label.fields.joined(separator: ", ") }
    return zip(label.fields, values).map { field, value in field + (value.map { " \($0)" } ?? "") }.joined(separator: ", ")
  }
}

extension KeyValue {
  /// `; a record has 'a1': only the case differs`
  fileprivate func difference(of other: KeyValue) -> String? {
    guard let text, let known = other.text else { return nil }
    if form.isNumber != other.form.isNumber {
      return "; a record has the \(other.form.isNumber ? "number \(known)" : "string '\(known)'")"
    }
    let difference =
      text.lowercased() == known.lowercased()
      ? "the case differs" : text.trimmingSpaces == known.trimmingSpaces ? "spaces differ" : "case and spaces differ"
    return "; a record has '\(known)': only \(difference)"
  }
}

extension KeyValue.Form {
  fileprivate var isNumber: Bool { self == .integer || self == .decimal }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
