/// A parsed ECMA-262 pattern, with escapes and flags resolved.
struct PatternTree {
  var root: Disjunction
  /// True if it checks the text before a place, other than for the text's start.
  var looksBehind = false
  /// More than one group if alternatives share a name.
  let groupsByName: [String: [Int]]
  /// The groups that back-references name: only they need to capture.
  var referencedGroups: Set<Int> = []

  func groups(of reference: GroupReference) -> [Int] {
    switch reference {
    case .number(let number): [number]
    case .name(let name): groupsByName[name] ?? []
    }
  }
}

/// Alternatives: the first one that leads to a match counts.
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

  /// The number of repetitions in it without a small bound.
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

/// An atom or assertion with its repetition.
struct PatternTerm {
  var atom: PatternAtom
  var repetition: Repetition?
  /// The place of its start, in bytes of the source.
  let offset: Int
}

struct Repetition: Equatable {
  var least: Int
  /// The maximum, or `nil` if unlimited.
  var most: Int?
  var isLazy = false

  /// True if it may occur more than once.
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
  /// `\b`, or `\B` if negated, between characters of the set and others.
  case wordBoundary(ScalarSet, isNegated: Bool)
  /// Groups are numbered from 1. A group with `nil` captures nothing.
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
