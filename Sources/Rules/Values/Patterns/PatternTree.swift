/// A parsed ECMA-262 pattern, with escapes and flags resolved.
struct PatternTree {
  var root: Disjunction
  /// True if it checks the text before a place, other than for the text's start.
  var looksBehind = false
  /// More than one group if alternatives share a name.
  let groupsByName: [String: [Int]]
  /// The groups that back-references name: only they need to capture.
  var referencedGroups: Set<Int> = []

  /// Names don't begin with a digit.
  func groups(of reference: String) -> [Int] { groupsByName[reference] ?? Int(reference).map { [$0] } ?? [] }
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
  /// A reference to a group by its name or number.
  case reference(String)
}

struct Look {
  let isBehind: Bool
  let isNegated: Bool
}

extension PatternTree {
  /// The pattern reduced to the parts that affect a search, which only asks if some part of a text matches.
  ///
  /// `X*Y` matches somewhere if `Y` does, and so does `YX*`; if `X+Y` matches, `XY` does further on. So `.*name.*` becomes
  /// `name`, for which PCRE2 needs one pass over the text instead of one from each of its characters. Back-references depend on
  /// the matched part: patterns with them remain unchanged.
  var reducedForSearch: PatternTree {
    guard referencedGroups.isEmpty else { return self }
    var tree = self
    tree.root.reduce(.start)
    tree.root.reduce(.end)
    return tree
  }

  /// The ASCII characters that are a match on their own, one bit each: those of a pattern that is a single class; none for any
  /// other.
  var sufficientCharacters: (UInt64, UInt64) {
    guard root.alternatives.count == 1, root.alternatives[0].count == 1, root.alternatives[0][0].repetition == nil,
      case .set(let set) = root.alternatives[0][0].atom, set.properties.isEmpty
    else { return (0, 0) }
    var bits: (UInt64, UInt64) = (0, 0)
    for character in 0..<UInt32(128) where set.ranges.contains(where: { $0.contains(character) }) != set.isNegated {
      if character < 64 { bits.0 |= 1 << UInt64(character) } else { bits.1 |= 1 << UInt64(character - 64) }
    }
    return bits
  }
}

extension Disjunction {
  fileprivate enum Side { case start, end }

  fileprivate mutating func reduce(_ side: Side) {
    for index in alternatives.indices { reduce(&alternatives[index], side) }
  }

  private func reduce(_ terms: inout [PatternTerm], _ side: Side) {
    while let index = side == .start ? terms.indices.first : terms.indices.last {
      if let repetition = terms[index].repetition, repetition.repeats || repetition.least == 0 {
        if repetition.least == 0 {
          terms.remove(at: index)
          continue
        }
        terms[index].repetition = repetition.least == 1 ? nil : Repetition(least: repetition.least, most: repetition.least)
      }
      if terms[index].repetition == nil { terms[index].atom.reduce(side) }
      return
    }
  }
}

extension PatternAtom {
  fileprivate mutating func reduce(_ side: Disjunction.Side) {
    switch self {
    case .group(var body, let number):
      body.reduce(side)
      self = .group(body, number: number)
    case .caseGroup(var body, let ignoresCase):
      body.reduce(side)
      self = .caseGroup(body, ignoresCase: ignoresCase)
    default: break
    }
  }
}

/// The names of a pattern's groups. Two groups may share a name only if they are in different alternatives, so that never both
/// take part in a match (ECMA-262, section 22.2.1.2, MightBothParticipate).
struct GroupNames {
  /// The names in a group that is still open.
  struct Scope {
    /// The names in its completed alternatives.
    fileprivate var past: [String] = []
    /// The names in the current alternative.
    fileprivate var present: [String] = []
  }

  private(set) var groups: [String: [Int]] = [:]
  /// The names that take part whenever the next part of the pattern does.
  private var taken: Set<String> = []

  /// Returns `false` if the name is taken.
  mutating func insert(_ name: String, group: Int, in scope: inout Scope) -> Bool {
    guard taken.insert(name).inserted else { return false }
    groups[name, default: []].append(group)
    scope.present.append(name)
    return true
  }

  mutating func endAlternative(of scope: inout Scope) {
    taken.subtract(scope.present)
    scope.past += scope.present
    scope.present = []
  }

  /// Closes a group after the end of its last alternative.
  mutating func close(_ scope: Scope, into outer: inout Scope) {
    taken.formUnion(scope.past)
    outer.present += scope.past
  }
}
