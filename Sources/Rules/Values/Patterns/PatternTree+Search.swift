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
