import ByteStreams
package import Findings
import JSONEvents

/// Looks again for the keys of a document's findings, in a second evaluation of the document. The first one remembers keys, but not
/// their records, and compares keys without regard to similar ones.
///
///     findings      duplicate id 28 · carId 'A1' refers to no record · duplicate combination of day, slot
///     second time   id 28: /cars/3 at 61:10 · a record has 'a1' · day 2026-05-01, slot 7
///
/// It costs an evaluation as far as the last duplicate, or to the end if a reference dangles.
package struct KeySearch: Sendable {
  /// A violation with a finding, and what is known about it.
  struct Subject: Sendable {
    var violation: KeyViolation
    /// True if its record equals an earlier one.
    var isEqual: Bool
    /// The first record that has the key: its JSON Pointer, and the line and column that a finding about it would have.
    var first: (pointer: String, line: Int, column: Int)?
    /// The values of a key of several fields; `nil` for those that are only known by their digests.
    var parts: [String?] = []
    /// A key that differs from the dangling one only in its type, its case, or spaces around it.
    var similar: KeyValue?
  }

  package let program: RuleProgram
  /// Options for the second evaluation, which has the first one's digests.
  package let options: EvaluationOptions
  private var subjects: [Subject]
  /// The numbers of the subjects whose keys have several fields, by their own entries in the log.
  private var bySite: [Site: Int] = [:]
  /// The numbers of the duplicates whose first record isn't known yet.
  private var unplaced: [Claim: [Int]] = [:]
  private var unplacedKeys: Set<KeyValue> = []
  /// The numbers of the dangling references of which no similar key is known, by the unified spelling of their keys.
  private var bySpelling: [String: [Int]] = [:]
  /// The offset after which nothing more can be found.
  private let end: Int

  private struct Site: Hashable {
    let step: Int32
    let offset: Int
  }

  /// A key in a set: one of the document, or that of a step in one array.
  private struct Claim: Hashable {
    let key: KeyValue
    let set: Int32
    let array: String?
  }

  init(_ subjects: [Subject], _ program: RuleProgram, _ options: EvaluationOptions) {
    self.program = program
    self.subjects = subjects
    var options = options
    options.maximumFindings = 0
    options.logsKeyParts = true
    self.options = options
    var end = -1
    for (number, subject) in subjects.enumerated() {
      let violation = subject.violation
      let step = program.steps[Int(violation.step)]
      if step.fields.count > 1 { bySite[Site(step: violation.step, offset: violation.offset)] = number }
      end = max(end, violation.offset)
      switch violation.kind {
      case .duplicate:
        let claim =
          step.isScoped
          ? Claim(key: violation.key, set: violation.step, array: String(violation.collection))
          : Claim(key: violation.key, set: step.keySet, array: nil)
        unplaced[claim, default: []].append(number)
        unplacedKeys.insert(violation.key)
      case .dangling:
        guard let spelling = violation.key.unifiedSpelling else { continue }
        bySpelling[spelling, default: []].append(number)
        end = .max
      }
    }
    self.end = end
  }

  /// Returns whether nothing more can be found from `offset` on.
  package func isComplete(at offset: Int) -> Bool { offset > end }

  /// Takes the operations of the next stretch of the document.
  mutating func consume(_ log: KeyLog, _ lines: inout LineCursor) {
    for (row, parts) in log.parts {
      let entry = log.entries[row]
      guard let number = bySite[Site(step: entry.step, offset: entry.offset)] else { continue }
      subjects[number].parts = parts.map(\.text)
    }
    for entry in log.entries {
      if unplacedKeys.contains(entry.key) { place(entry, of: log, &lines) }
      guard !bySpelling.isEmpty, let set = entry.definedSet, let spelling = entry.key.unifiedSpelling,
        let numbers = bySpelling[spelling]
      else { continue }
      let others = numbers.filter { program.steps[Int(subjects[$0].violation.step)].keySet != set }
      for number in Set(numbers).subtracting(others) { subjects[number].similar = entry.key }
      bySpelling[spelling] = others.isEmpty ? nil : others
    }
  }

  /// Takes the first claim of a key.
  private mutating func place(_ entry: KeyLog.Entry, of log: KeyLog, _ lines: inout LineCursor) {
    let claim: Claim
    switch entry.operation {
    case .claim(let set): claim = Claim(key: entry.key, set: set, array: nil)
    case .claimInScope: claim = Claim(key: entry.key, set: entry.step, array: log.containers[Int(entry.container)])
    case .define, .refer, .openScopes, .closeScopes: return
    }
    guard let numbers = unplaced.removeValue(forKey: claim) else { return }
    let first = log.violation(.duplicate, entry, &lines)
    for number in numbers {
      subjects[number].first = (first.record, first.line, first.column)
    }
  }

  /// Gives findings messages that tell what was found.
  package func explain(_ findings: inout [Finding]) {
    struct FindingPlace: Hashable {
      let offset: Int
      let pointer: String
      let schemaLocation: String
    }
    var numbers: [FindingPlace: Int] = [:]
    for (number, subject) in subjects.enumerated() {
      let rule = program.rules[Int(program.steps[Int(subject.violation.step)].rule)]
      // A cut pointer is one of a finding.
      let pointer = Place(pointer: subject.violation.pointer(in: program), at: TextPosition(offset: 0, line: 0, column: 0))
        .pointer
      numbers[FindingPlace(offset: subject.violation.offset, pointer: pointer, schemaLocation: rule.pointer)] = number
    }
    for index in findings.indices where findings[index].place.entry == nil {
      let place = findings[index].place
      let site = FindingPlace(offset: place.offset, pointer: place.pointer, schemaLocation: findings[index].schemaLocation)
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
    return record + (field.isEmpty ? "" : "/" + field)
  }
}

extension KeySearch.Subject {
  /// Returns the sentence about the violation.
  ///
  /// - Parameter text: the value at the finding's place, if the violation doesn't have it.
  func message(_ program: RuleProgram, redacts: Bool, text: String? = nil) -> String {
    let label = program.stepLabels[Int(violation.step)]
    let key = fields(of: label, redacts: redacts, text)
    let first = self.first.map { "\($0.pointer) at \($0.line):\($0.column)" }
    switch violation.kind {
    case .duplicate where isEqual:
      return "duplicate \(key): an earlier record is equal to this one"
        + (first.map { "; the first with this key is \($0)" } ?? "")
    case .duplicate where label.fields.isEmpty: return "duplicate item: \(first ?? "an earlier item") is equal"
    case .duplicate where label.fields.count == 1: return "duplicate \(key): \(first ?? "an earlier record") has it"
    case .duplicate: return "duplicate combination of \(key): \(first ?? "an earlier record") has it"
    case .dangling:
      let difference = redacts ? nil : similar.flatMap { violation.key.difference(of: $0) }
      return "\(key) refers to no record of \(label.resource.isEmpty ? "the root" : label.resource)" + (difference ?? "")
    }
  }

  /// `carId 99`; `day 2026-05-01, slot 7`; without values that are not known or left out.
  private func fields(of label: RuleProgram.StepLabel, redacts: Bool, _ text: String?) -> String {
    let names = label.fields.map(words)
    var values: [String?] = []
    if label.fields.count == 1 {
      // A key that is limited to a part of the document has no text; the field does.
      let isOwnField =
        label.fields[0] == label.findingField || label.fields[0] == Schema.recordName
        || label.fields[0].split(separator: "/").contains("*")
      values = [violation.key.text ?? (isOwnField ? violation.excerpt?.text ?? text?.shortened(to: 100) : nil)]
    } else if parts.count == label.fields.count {
      values = parts
    }
    if redacts || values.isEmpty { return names.joined(separator: ", ") }
    return zip(names, values).map { field, value in field + (value.map { " \($0)" } ?? "") }.joined(separator: ", ")
  }

  /// Returns a field as messages name it.
  private func words(_ field: String) -> String {
    if field == Schema.recordName { return violation.index < 0 ? "its name" : "its index" }
    return field.hasSuffix("/" + Schema.recordName) ? String(field.dropLast(Schema.recordName.count + 1)) : field
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
