/// Determines what a back-reference finds, from the places of its group and itself in the pattern.
///
/// In ECMA-262 each round of a repetition begins with its groups unset (section 22.2.2.3.1); PCRE2 keeps the captures of earlier
/// rounds. That makes a difference if the last round may skip the group, as in `(?:(a)|b)*\1`. Also, in ECMA-262 an optional
/// round that matches nothing doesn't count; in PCRE2 it does, as `(a|)*\1` shows.
struct CapturePaths {
  enum Capture {
    /// No text.
    case unset
    /// The same text in ECMA-262 and in PCRE2.
    case current
    /// A text that may be another one in PCRE2.
    case different
  }

  /// The surroundings of a place, from the whole pattern inwards.
  enum Step: Equatable {
    case alternative(Int, Int, of: Int)
    case repetition(Int, Repetition, ofNothing: Bool)
    /// A negative assertion: its captures are discarded after it.
    case refutation
    case group
  }

  private var steps: [Step] = []
  private var serial = 0
  private var closed: [Int: [Step]] = [:]

  mutating func enterDisjunction() -> Int {
    serial += 1
    return serial
  }

  mutating func enter(_ step: Step) { steps.append(step) }

  mutating func enterRepetition(_ repetition: Repetition, of atom: PatternAtom) {
    serial += 1
    steps.append(.repetition(serial, repetition, ofNothing: repetition.repeats && atom.mayBeEmpty))
  }

  mutating func leave() { steps.removeLast() }

  /// Records the place of a completed group.
  mutating func close(group: Int) { closed[group] = steps }

  /// Returns what a reference to `group` finds at this place.
  func capture(of group: Int) -> Capture {
    // A reference inside its group, or before it: each round that reaches it begins with the group unset.
    guard let path = closed[group] else { return .unset }
    let common = zip(path, steps).prefix { $0 == $1 }.count
    if path[common...].contains(.refutation) { return .unset }
    var mayBePassed = false
    for (place, step) in path.enumerated().reversed() {
      switch step {
      case .alternative(_, _, let count): if place >= common && count > 1 { mayBePassed = true }
      case .repetition(_, let repetition, let ofNothing):
        if mayBePassed && repetition.repeats || place >= common && ofNothing { return .different }
        if place >= common && repetition.least == 0 { mayBePassed = true }
      case .refutation, .group: break
      }
    }
    return .current
  }
}

extension PatternAtom {
  /// True if it can match between two characters, even if only in some texts.
  fileprivate var mayBeEmpty: Bool {
    switch self {
    case .character, .set: false
    case .start, .end, .lineStart, .lineEnd, .wordBoundary, .look, .reference: true
    case .group(let body, _), .caseGroup(let body, _):
      body.alternatives.contains { $0.allSatisfy { $0.repetition?.least == 0 || $0.atom.mayBeEmpty } }
    }
  }
}
