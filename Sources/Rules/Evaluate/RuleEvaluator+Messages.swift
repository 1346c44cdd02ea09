import JSONEvents

/// Places, excerpts and words, made only for findings.
extension RuleEvaluator {
  /// The subject of a finding about a scalar, or about the innermost open container.
  mutating func subject(of event: Event?) -> FindingSubject {
    if let event, let batch {
      let offset = batch.offset(of: event)
      let position = position(at: offset)
      return FindingSubject(
        pointer: pointer(depth: frames.count), offset: offset, line: position.line, column: position.column,
        excerpt: Self.excerpt(of: event, batch))
    }
    let top = frames.count - 1
    if frames[top].line == 0 {
      let position = position(at: frames[top].offset)
      frames[top].line = position.line
      frames[top].column = position.column
    }
    return FindingSubject(
      pointer: pointer(depth: top), offset: frames[top].offset, line: frames[top].line, column: frames[top].column, excerpt: nil)
  }

  /// The pointer of the value at hand in the innermost of the `depth` outermost frames.
  func pointer(depth: Int) -> String {
    var pointer = ""
    for index in 1..<max(1, depth) {
      let frame = frames[index]
      pointer += "/"
      if frame.isObject {
        pointer += keyName(of: frame).pointerToken
      } else {
        pointer += String(frame.index)
      }
    }
    return pointer
  }

  private func keyName(of frame: Frame) -> String {
    if frame.member >= 0 {
      let entry = program.members[Int(frame.member)]
      return String(decoding: program.memberNames[Int(entry.nameStart)..<Int(entry.nameStart + entry.nameLength)], as: UTF8.self)
    }
    let start = Int(frame.keyStart)
    return String(decoding: (start..<start + Int(frame.keyCount)).map { keyBytes[$0] }, as: UTF8.self)
  }

  /// The value as the document spells it (strings with their escapes resolved), cut to 80 characters.
  static func excerpt(of event: Event, _ batch: EventBatch) -> String {
    switch event.kind {
    case .null: return "null"
    case .true: return "true"
    case .false: return "false"
    default:
      let text = batch.text(of: event)
      // Four bytes a scalar at most; what the cut breaks is dropped with the rest.
      let start = text.prefix(4 * 81).string.unicodeScalars.prefix(81)
      if start.count <= 80 { return String(String.UnicodeScalarView(start)) }
      return String(String.UnicodeScalarView(start.prefix(80))) + "…"
    }
  }

  /// How a message speaks of a value.
  func description(of event: Event?, _ subject: FindingSubject) -> String {
    guard let event else { return "such a value" }
    if options.redacts { return Self.typeName(of: event) }
    let excerpt = subject.excerpt ?? ""
    return event.kind == .string ? "'\(excerpt)'" : excerpt
  }

  private static func typeName(of event: Event) -> String {
    switch event.kind {
    case .null: "null"
    case .true, .false: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .arrayStart, .arrayEnd: "an array"
    default: "an object"
    }
  }

  func message(
    for check: RuleProgram.Check, _ rule: RuleProgram.Rule, _ kind: ValueKind, _ event: Event?, _ subject: FindingSubject
  ) -> String {
    let containerName = kind == .array ? "an array" : "an object"
    guard let event else {
      return rule.expectation == "nothing" ? "this member is not allowed" : "expected \(rule.expectation), found \(containerName)"
    }
    let found = description(of: event, subject)
    switch check.operation {
    case .never where rule.expectation == "nothing": return "this member is not allowed"
    case .never where rule.keyword == "type":
      return "expected \(rule.expectation), found " + (options.redacts || event.kind == .null ? found : "\(Self.typeName(of: event)): \(found)")
    case .stringAmong:
      let known = program.constants.stringSets[Int(check.operand)].texts
      let suggestion = options.redacts ? "" : Suggestion.text(for: subject.excerpt ?? "", among: known)
      return "expected \(rule.expectation), found \(found)\(suggestion)"
    case .formatBound:
      if case .now = program.constants.formatBounds[Int(check.operand)].operand, case .instant(let bound) = bounds[Int(check.operand)] {
        return "expected a time \(rule.expectation) \(bound), found \(found)"
      }
      return "expected a value \(rule.expectation), found \(found)"
    default: return "expected \(rule.expectation), found \(found)"
    }
  }
}
