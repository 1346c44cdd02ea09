import Rules

/// The result of a detection criterion for a document: whether it holds, and why.
struct Evidence {
  var holds: Bool
  /// The statements that the document satisfies.
  var reasons: [String] = []
  /// The statements that the document doesn't satisfy.
  var missing: [String] = []
  /// The score of the document: paths and strings that exist, not those that don't.
  var marks = 0

  init(of clue: DetectionCriterion, in outline: DocumentOutline, matcher: Pattern.Matcher) {
    holds = clue.holds(in: outline, matcher: matcher)
    switch clue {
    case .exists, .every, .container:
      if holds { reasons = [clue.words] } else { missing = [clue.denial] }
      // Every document has a container, so it doesn't count.
      if holds, !clue.isContainer { marks = 1 }
    case .not(let part):
      if holds { reasons = part.refutations(in: outline) } else { missing = [part.words] }
    case .all(let parts):
      for part in parts { add(Evidence(of: part, in: outline, matcher: matcher)) }
      if holds { missing = [] }
    case .any(let parts):
      let parts = parts.map { (clue: $0, evidence: Evidence(of: $0, in: outline, matcher: matcher)) }
      if holds {
        for part in parts where part.evidence.holds { add(part.evidence) }
      } else if let best = parts.map(\.evidence).max(by: { $0.marks < $1.marks }), best.marks > 0 {
        add(best)
      } else {
        missing = ["none of these: " + parts.map(\.clue.words).joined(separator: "; ")]
      }
    }
  }

  private mutating func add(_ part: Evidence) {
    for reason in part.reasons where !reasons.contains(reason) { reasons.append(reason) }
    for gap in part.missing where !missing.contains(gap) { missing.append(gap) }
    marks += part.marks
  }
}

extension DetectionCriterion {
  fileprivate var isContainer: Bool { if case .container = self { true } else { false } }

  /// Returns the reasons that the criterion doesn't hold. A pattern isn't a reason if there are no strings at its path.
  fileprivate func refutations(in outline: DocumentOutline) -> [String] {
    switch self {
    case .every(let path, _): outline.strings[path] == nil ? [] : [denial]
    case .any(let parts): parts.flatMap { $0.refutations(in: outline) }
    case .all: []
    default: [denial]
    }
  }
}
