import ByteStreams
import JSONEvents
package import Rules

/// A detection criterion: a condition on the start of a document.
///
///     "/cars/*/milleageSyncedAt"                                 a value exists at the path
///     {"at": "/cars/*/expenseCurrency", "every": "^[A-Z]{3}$"}   there is a string at the path, and all of them match
///     {"container": "zip"}                                       the document is an entry of a ZIP, or (json) a separate file
///     {"all": […]}   {"any": […]}   {"not": …}
package enum DetectionCriterion: Sendable {
  case exists(String)
  indirect case every(String, Pattern)
  case container(BackupFormat.Container)
  case all([DetectionCriterion])
  case any([DetectionCriterion])
  indirect case not(DetectionCriterion)

  init(_ value: RuleValue) throws(CofferError) {
    if let path = value.string {
      guard path.hasPrefix("/") else { throw value.error("expected a JSON Pointer ('*': any item)") }
      self = .exists(path)
    } else if let parts = value["all"] {
      self = .all(try Self.parts(parts))
    } else if let parts = value["any"] {
      self = .any(try Self.parts(parts))
    } else if let part = value["not"] {
      self = .not(try DetectionCriterion(part))
    } else if let name = value["container"] {
      self = .container(try name.expectChoice(BackupFormat.Container.allCases))
    } else if let path = value["at"]?.string, let pattern = value["every"] {
      self = .every(path, try pattern.expectPattern())
    } else {
      throw value.error("expected a JSON Pointer, all, any, not, container, or at with every")
    }
  }

  private static func parts(_ value: RuleValue) throws(CofferError) -> [DetectionCriterion] {
    try value.expectItems(of: "criteria").map { item throws(CofferError) in try DetectionCriterion(item) }
  }

  /// The paths that it uses.
  ///
  /// - Parameter onlyOfStrings: true for those whose strings it reads.
  func paths(onlyOfStrings: Bool = false) -> Set<String> {
    switch self {
    case .exists(let path): onlyOfStrings ? [] : [path]
    case .every(let path, _): [path]
    case .container: []
    case .all(let criteria), .any(let criteria):
      criteria.reduce(into: []) { $0.formUnion($1.paths(onlyOfStrings: onlyOfStrings)) }
    case .not(let criterion): criterion.paths(onlyOfStrings: onlyOfStrings)
    }
  }

  /// Returns true if the start of a document satisfies it.
  func holds(in outline: DocumentOutline, matcher: Pattern.Matcher) -> Bool {
    switch self {
    case .exists(let path): outline.paths.contains(path)
    case .every(let path, let pattern):
      outline.strings[path].map { texts in
        texts.allSatisfy { text in ByteView.with(text) { matcher.match(pattern, in: $0) == .match } }
      } ?? false
    case .container(let container): outline.container == container
    case .all(let criteria): criteria.allSatisfy { $0.holds(in: outline, matcher: matcher) }
    case .any(let criteria): criteria.contains { $0.holds(in: outline, matcher: matcher) }
    case .not(let criterion): !criterion.holds(in: outline, matcher: matcher)
    }
  }
}

extension DetectionCriterion {
  /// The criterion as a statement about a document that satisfies it; alternatives are joined with "or".
  var words: String { statement(holds: true) }

  /// The negated statement.
  var denial: String { statement(holds: false) }

  private func statement(holds: Bool) -> String {
    let negation = holds ? "" : "not "
    switch self {
    case .exists(let path): return holds ? "\(path) exists" : "\(path) is missing"
    case .every(let path, let pattern): return "\(negation)every string at \(path) matches \(pattern.source)"
    case .container(.json): return "it is \(negation)a separate file"
    case .container(.zip): return "it is \(negation)a ZIP entry"
    case .all(let criteria): return criteria.map { $0.statement(holds: holds) }.joined(separator: holds ? " and " : " or ")
    case .any(let criteria):
      let parts = criteria.map { $0.isAlternative ? "(\($0.statement(holds: holds)))" : $0.statement(holds: holds) }
      return parts.joined(separator: holds ? " or " : " and ")
    case .not(let criterion): return criterion.statement(holds: !holds)
    }
  }

  /// The criterion in a list: for existence, only the path.
  var name: String {
    switch self {
    case .exists(let path): path
    case .every(let path, let pattern): "\(path) matching \(pattern.source)"
    case .container(.json): "separate file"
    case .container(.zip): "ZIP entry"
    case .all(let criteria): criteria.map { $0.isChoice ? "(\($0.name))" : $0.name }.joined(separator: " and ")
    case .any(let criteria): criteria.map(\.name).joined(separator: " or ")
    case .not(.any(let criteria)): "neither " + criteria.map(\.name).joined(separator: " nor ")
    case .not(let criterion): "no \(criterion.name)"
    }
  }

  private var isChoice: Bool { if case .any(let parts) = self { parts.count > 1 } else { false } }

  private var isAlternative: Bool { if case .all(let parts) = self { parts.count > 1 } else { false } }
}

/// The result of a detection criterion for a document: whether it holds, and why.
struct Evidence {
  var holds: Bool
  /// The statements that the document satisfies.
  var reasons: [String] = []
  /// The statements that the document doesn't satisfy.
  var missing: [String] = []
  /// The score of the document: paths and strings that exist, not those that don't.
  var marks = 0

  init(of criterion: DetectionCriterion, in outline: DocumentOutline, matcher: Pattern.Matcher) {
    holds = criterion.holds(in: outline, matcher: matcher)
    switch criterion {
    case .exists, .every, .container:
      if holds { reasons = [criterion.words] } else { missing = [criterion.denial] }
      // Every document has a container, so it doesn't count.
      if holds, !criterion.isContainer { marks = 1 }
    case .not(let part):
      if holds { reasons = part.refutations(in: outline) } else { missing = [part.words] }
    case .all(let parts):
      for part in parts { add(Evidence(of: part, in: outline, matcher: matcher)) }
      if holds { missing = [] }
    case .any(let parts):
      let parts = parts.map { (criterion: $0, evidence: Evidence(of: $0, in: outline, matcher: matcher)) }
      if holds {
        for part in parts where part.evidence.holds { add(part.evidence) }
      } else if let best = parts.map(\.evidence).max(by: { $0.marks < $1.marks }), best.marks > 0 {
        add(best)
      } else {
        missing = ["none of these: " + parts.map(\.criterion.words).joined(separator: "; ")]
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
