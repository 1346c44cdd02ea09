import ByteStreams
import Findings
import JSONEvents

/// Places, excerpts and messages, composed only for findings.
extension RuleEvaluator {
  /// Returns the subject of a finding about a scalar, or about the innermost open container.
  mutating func subject(of scalar: Scalar?, depth: Int? = nil) -> FindingSubject {
    if let scalar {
      return FindingSubject(
        pointer: pointer(depth: depth ?? frames.count), position: position(at: scalar.offset),
        excerpt: Self.excerpt(of: scalar))
    }
    let top = frames.count - 1
    return FindingSubject(pointer: pointer(depth: top), position: framePosition(top))
  }

  /// Returns the place where an open container begins.
  mutating func framePosition(_ index: Int) -> TextPosition {
    if frames[index].line == 0 {
      let position = position(at: frames[index].offset)
      frames[index].line = position.line
      frames[index].column = position.column
    }
    return TextPosition(offset: frames[index].offset, line: frames[index].line, column: frames[index].column)
  }

  /// Returns the pointer of the current value in the innermost of the `depth` outermost frames.
  mutating func pointer(depth: Int) -> String {
    ReportedPointer.text(max(1, depth) - 1) {
      let frame = frames[$0 + 1]
      if !frame.isObject { return .index(frame.index) }
      if frame.member < 0 { return .name(keptKey(of: frame).pointerToken, length: Int(frame.keyLength)) }
      let member = program.members[Int(frame.member)]
      let name = program.memberNames.view(from: Int(member.nameStart), count: Int(member.nameLength))
      return .name(name.reportedToken, length: name.count)
    }
  }

  /// Returns the pointer of the innermost open container.
  mutating func containerPointer() -> String {
    pointer(depth: frames.count - 1) + (skipDepth > 0 ? skippedPath.containerPointer : "")
  }

  /// Returns the name of an open object's member that no state names, as shown in reports.
  private mutating func keptKey(of frame: Frame) -> String {
    let start = Int(frame.keyStart)
    return String(decoding: (start..<start + Int(frame.keyCount)).map { keyBytes[$0] }, as: UTF8.self)
  }

  /// Returns the value as spelled in the document (strings with their escapes resolved), cut to 80 characters.
  static func excerpt(of scalar: Scalar) -> String { excerpt(of: scalar.text) }

  static func excerpt(of text: ByteView) -> String {
    if text.count <= 80 { return text.string }
    // A scalar value has at most four bytes. If the first cut breaks one, the second removes it.
    let start = text.prefix(4 * 81).string.unicodeScalars.prefix(81)
    if start.count <= 80 { return String(String.UnicodeScalarView(start)) }
    return String(String.UnicodeScalarView(start.prefix(80))) + "…"
  }

  /// Returns a value as described in messages.
  mutating func description(of scalar: Scalar, _ subject: FindingSubject) -> String {
    if options.redacts { return scalar.kind.phrase }
    let excerpt = subject.excerpt ?? ""
    return scalar.kind == .string ? "'\(excerpt)'" : excerpt
  }

  /// Returns the message for a value that is not allowed, in the container of the frame at `depth`; with the name that was most
  /// likely intended, among those that rules know there.
  mutating func refusal(depth: Int) -> String {
    if depth < 2 { return "nothing is allowed here" }
    guard frames[depth - 1].isObject else { return "this item is not allowed" }
    return "this member is not allowed" + (intendedName(depth: depth).map { "; did you mean '\($0)'?" } ?? "")
  }

  /// Returns the known name that is nearest to the current one in the object of the frame at `depth`. `nil` if none is near, or a
  /// state knows the name: then it isn't misspelt.
  private mutating func intendedName(depth: Int) -> String? {
    let frame = frames[depth - 1]
    guard frame.isObject, frame.member < 0 else { return nil }
    return Suggestion.nearest(to: keptKey(of: frame), among: knownNames(depth: depth))
  }

  /// Returns the names that rules know in the object of the frame at `depth`.
  private func knownNames(depth: Int) -> [String] {
    let frame = frames[depth - 1]
    var known: [String] = []
    for active in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) where activeStates[active].state >= 0 {
      known += program.memberNames(of: Int(activeStates[active].state), limit: Suggestion.limit - known.count)
    }
    return known
  }

  /// Keeps the name of a member that is not allowed, for a finding that another one is missing. Whether the refusal is shown doesn't
  /// matter: that depends on the slices in work.
  mutating func noteRefusal(depth: Int) {
    guard depth >= 2, frames[depth - 1].isObject, frames[depth - 1].member < 0 else { return }
    let frame = frames[depth - 1]
    if wording.refused[depth]?.object != frame.offset { wording.refused[depth] = Refused(object: frame.offset) }
    guard let count = wording.refused[depth]?.names.count, count < Refused.limit else { return }
    let name = keptKey(of: frame)
    wording.refused[depth]?.names.append(name)
  }

  /// The first members of an object that are not allowed.
  struct Refused {
    static let limit = 8
    var object: Int
    var names: [String] = []
  }

  /// Returns a clause for the message that a member of the innermost object is missing: the name that may be meant for it.
  mutating func misspelling(of member: String) -> String {
    guard let refused = wording.refused[frames.count], refused.object == frames[frames.count - 1].offset else { return "" }
    let known = knownNames(depth: frames.count)
    guard let name = refused.names.last(where: { Suggestion.nearest(to: $0, among: known) == member }) else { return "" }
    return "; '\(name.shortened(to: ReportedPointer.nameLimit))' may be meant for it"
  }

  /// - Parameter depth: the number of open frames when the value was read.
  mutating func message(
    for check: RuleProgram.Check, _ rule: RuleProgram.Rule, _ scalar: Scalar, _ subject: FindingSubject, depth: Int
  ) -> String {
    let found = description(of: scalar, subject)
    switch check.operation {
    case .never where rule.expectation == "nothing": return refusal(depth: depth)
    case .never where check.isType:
      let isNamed = options.redacts || scalar.kind == .null
      return "expected \(rule.expectation), found " + (isNamed ? found : "\(scalar.kind.phrase): \(found)")
    case .stringAmong:
      let known = program.constants.strings[Int(check.operand)]
      let suggestion = options.redacts ? "" : Suggestion.text(for: subject.excerpt ?? "", among: known)
      return "expected \(rule.expectation), found \(found)\(suggestion)"
    case .format where !options.redacts, .wholeSeconds where !options.redacts:
      let fault = StringFormat(rawValue: UInt8(check.operand)).flatMap { DateTimeFault.words(for: scalar.text, as: $0) }
      return "expected \(rule.expectation), found \(found)" + (fault.map { ": \($0)" } ?? "")
    case .numericData, .formatData, .equalsData: return message(for: check, found: found, comparedWith: wording.comparedValue)
    case .pattern where wording.patternOutcome == .tooCostly:
      return "searching for \(rule.expectation) takes too many steps"
    case .instantBound:
      if case .now = program.constants.formatBounds[Int(check.operand)].operand {
        return "expected a time \(check.comparison.temporalWords) \(instantBounds[Int(check.operand)].instant), found \(found)"
      }
      return "expected a time \(rule.expectation), found \(found)"
    case .sum where scalar.isDecimalText, .count where scalar.isDecimalText:
      return "expected \(rule.expectation), found \(found), without the format decimal"
    case .decimalBound: return "expected a value \(rule.expectation), found \(found)"
    default: break
    }
    return "expected \(rule.expectation), found \(found)"
  }
}

/// What messages need to tell besides the failed check.
struct Wording {
  /// The outcome of the last pattern.
  var patternOutcome = Pattern.Outcome.match
  /// The other value of the last comparison that failed (`$data`).
  var comparedValue = DataValue()
  /// Members that are not allowed, by the depth of their object: the last object at each depth.
  var refused: [Int: RuleEvaluator.Refused] = [:]
  var knownTags: [RuleEvaluator.TagPlace: RuleEvaluator.TagValues] = [:]
}

/// The subject of a finding: its place and value, as far as they must be kept.
struct FindingSubject: Sendable {
  var pointer: String
  var position: TextPosition
  /// The value as spelled in the document.
  var excerpt: String?
}

/// Duplicate keys: the reader detects them whether or not a rule applies to the object. Here they become findings.
extension RuleEvaluator {
  /// Reports a duplicate key. Must be called before the key is taken.
  @inline(never)
  mutating func reportDuplicateKey(at index: Int, of batch: EventBatch) {
    guard let severity = options.duplicateKeys else { return }
    let code = "duplicate-key"
    let offset = batch.offset(of: batch[index])
    guard partial.collector.takes(FindingRule(severity: severity, code: code), at: offset) else { return }
    let pointer: String
    if skipDepth > 0 {
      pointer = self.pointer(depth: frames.count) + skippedPath.pointer(toKeyAt: index, of: batch)
    } else {
      pointer = self.pointer(depth: frames.count - 1) + "/" + batch.text(of: batch[index]).reportedToken
    }
    partial.collector.add(
      Finding(
        code: code, keyword: "", severity: severity, message: "an earlier member of this object has the same key",
        place: Place(pointer: pointer, at: position(at: offset)), schemaLocation: ""))
  }
}
