import JSONEvents

/// A pattern that is decided in one pass over the text, without a search and without backtracking: alternatives of classes, one after the
/// other, from the text's start.
///
///     ^[A-Z]{2}[0-9]+$        [A-Z] 2 · [0-9] 1…∞ · end
///     ^photos/                p · h · o · t · o · s · /
///     ^(?:red|blue)?$         r · e · d · end  |  b · l · u · e · end  |  end
///
/// A class that may repeat takes all that it can: what follows it shares no character with it. PCRE2, which decides all other patterns,
/// takes about 400 instructions to begin.
struct ClassSequences: Sendable {
  /// The steps of all alternatives, one alternative after the other.
  private let steps: [Step]

  private struct Step {
    /// The ASCII characters of the class, one bit each.
    var ascii: (low: UInt64, high: UInt64) = (0, 0)
    /// True if all other characters are in the class; false if none are.
    var takesOthers = false
    var least = 0
    var most = 0
    /// The end of an alternative: 1 if any text may follow, 2 if none may.
    var end: UInt8 = 0

    func overlaps(_ other: Step) -> Bool {
      ascii.low & other.ascii.low != 0 || ascii.high & other.ascii.high != 0 || takesOthers && other.takesOthers
    }
  }

  /// More alternatives are PCRE2's, which looks at the first characters of all of them.
  private static let limit = 16

  /// Returns `nil` if the pattern has other parts.
  init?(_ pattern: PatternTree) {
    guard let alternatives = Self.expanded(pattern.root), !alternatives.isEmpty else { return nil }
    var steps: [Step] = []
    for terms in alternatives {
      guard let alternative = Self.steps(terms) else { return nil }
      steps += alternative
    }
    self.steps = steps
  }

  /// Returns the alternatives without groups, or `nil` if there are too many.
  private static func expanded(_ disjunction: Disjunction) -> [[PatternTerm]]? {
    var result: [[PatternTerm]] = []
    for terms in disjunction.alternatives {
      var lists: [[PatternTerm]] = [[]]
      for term in terms {
        guard case .group(let body, _) = term.atom, term.repetition.map({ $0.most == 1 }) != false else {
          for index in lists.indices { lists[index].append(term) }
          continue
        }
        guard var choices = expanded(body) else { return nil }
        if term.repetition?.least == 0 { choices.append([]) }
        lists = lists.flatMap { list in choices.map { list + $0 } }
        if lists.count > limit { return nil }
      }
      result += lists
      if result.count > limit { return nil }
    }
    return result
  }

  private static func steps(_ terms: [PatternTerm]) -> [Step]? {
    guard let first = terms.first, first.repetition == nil, case .start = first.atom else { return nil }
    var steps: [Step] = []
    var rest = terms.dropFirst()
    var end = Step(end: 1)
    if let last = rest.last, last.repetition == nil, case .end = last.atom {
      end.end = 2
      rest = rest.dropLast()
    }
    for term in rest {
      guard var step = step(term.atom) else { return nil }
      step.least = term.repetition?.least ?? 1
      step.most = term.repetition.map { $0.most ?? .max } ?? 1
      // A class takes what an earlier one might have left to it.
      for earlier in steps.reversed() {
        if earlier.most > earlier.least, earlier.overlaps(step) { return nil }
        if earlier.least > 0 { break }
      }
      steps.append(step)
    }
    return steps + [end]
  }

  private static func step(_ atom: PatternAtom) -> Step? {
    var step = Step()
    func insert(_ character: UInt32) {
      if character < 64 { step.ascii.low |= 1 << UInt64(character) } else { step.ascii.high |= 1 << UInt64(character - 64) }
    }
    switch atom {
    case .character(let scalar):
      guard scalar.isASCII else { return nil }
      insert(scalar.value)
    case .set(let set):
      guard set.properties.isEmpty else { return nil }
      for character in 0..<UInt32(0x80) where set.ranges.contains(where: { $0.contains(character) }) != set.isNegated {
        insert(character)
      }
      let others = set.ranges.filter { $0.upperBound >= 0x80 }
      // Surrogates are no characters.
      let hasAll = others.contains { $0.lowerBound <= 0x80 && $0.upperBound == 0x10FFFF }
      guard others.isEmpty || hasAll else { return nil }
      step.takesOthers = hasAll != set.isNegated
    default: return nil
    }
    return step
  }

  /// Returns whether a text matches, which must be UTF-8.
  func match(_ text: ByteView) -> Bool {
    steps.withUnsafeBufferPointer { steps in
      var row = 0
      while row < steps.count {
        if Self.match(text, steps, &row) { return true }
        while steps[row].end == 0 { row += 1 }
        row += 1
      }
      return false
    }
  }

  /// Matches one alternative, which begins at a row, and stops there where it doesn't match.
  @inline(__always)
  private static func match(_ text: ByteView, _ steps: UnsafeBufferPointer<Step>, _ row: inout Int) -> Bool {
    var index = 0
    while steps[row].end == 0 {
      let step = steps[row]
      var count = 0
      while count < step.most, index < text.count {
        let byte = text[index]
        if byte < 0x80 {
          if (byte < 64 ? step.ascii.low : step.ascii.high) &>> UInt64(byte & 63) & 1 == 0 { break }
          index += 1
        } else {
          if !step.takesOthers { break }
          index += byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        }
        count += 1
      }
      if count < step.least { return false }
      row += 1
    }
    return steps[row].end == 1 || index == text.count
  }
}
