/// What a pattern of ECMA-262 says, its escapes and flags resolved.
struct PatternTree {
  var root: Disjunction
  /// Whether it asks what stands before a place, other than the text's start.
  var looksBehind = false
  /// More than one group where alternatives share a name.
  let groupsByName: [String: [Int]]
  /// The groups a back-reference names: only they need to capture.
  var referencedGroups: Set<Int> = []

  func groups(of reference: GroupReference) -> [Int] {
    switch reference {
    case .number(let number): [number]
    case .name(let name): groupsByName[name] ?? []
    }
  }
}

/// Alternatives, of which the first that leads to a match counts.
struct Disjunction {
  var alternatives: [[PatternTerm]]
}

extension PatternTree {
  /// The numbers of all groups.
  var groups: Set<Int> { root.groups }
}

extension Disjunction {
  fileprivate var groups: Set<Int> {
    alternatives.reduce(into: []) { groups, terms in
      for term in terms { groups.formUnion(term.atom.groups) }
    }
  }

  /// How many repetitions in it have no small bound.
  var openRepetitions: Int {
    alternatives.reduce(0) { sum, terms in
      terms.reduce(sum) {
        $0 + ($1.repetition.map { ($0.most ?? .max) - $0.least > 8 } == true ? 1 : 0) + $1.atom.openRepetitions
      }
    }
  }
}

extension PatternAtom {
  fileprivate var groups: Set<Int> {
    switch self {
    case .group(let body, let number): body.groups.union([number].compactMap(\.self))
    case .caseGroup(let body, _), .look(_, let body): body.groups
    default: []
    }
  }

  fileprivate var openRepetitions: Int {
    switch self {
    case .group(let body, _), .caseGroup(let body, _), .look(_, let body): body.openRepetitions
    default: 0
    }
  }
}

/// One atom or assertion, and how often it stands.
struct PatternTerm {
  var atom: PatternAtom
  var repetition: Repetition?
  /// Where it begins, in bytes of the source.
  let offset: Int
}

struct Repetition: Equatable {
  var least: Int
  /// `nil` is without bound.
  var most: Int?
  var isLazy = false

  /// Whether it may stand more than once.
  var repeats: Bool { most.map { $0 > 1 } ?? true }
}

indirect enum PatternAtom {
  case character(Unicode.Scalar)
  case set(ScalarSet)
  case start
  case end
  /// `^` and `$` with the flag m.
  case lineStart
  case lineEnd
  /// `\b`, and `\B` where it is negated, between characters of the set and others.
  case wordBoundary(ScalarSet, isNegated: Bool)
  /// Groups are numbered from 1; `nil` captures nothing.
  case group(Disjunction, number: Int?)
  case caseGroup(Disjunction, ignoresCase: Bool)
  case look(Look, Disjunction)
  case reference(GroupReference)
}

enum GroupReference {
  case number(Int)
  case name(String)
}

struct Look {
  let isBehind: Bool
  let isNegated: Bool
}
