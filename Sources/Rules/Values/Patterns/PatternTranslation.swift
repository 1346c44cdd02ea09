/// A pattern in PCRE2's syntax with the same meaning as in ECMA-262.
///
/// Nothing is copied verbatim: letters, digits and non-ASCII characters stay, other characters get a backslash, and syntax
/// without an equivalent in PCRE2 is spelled out or rejected.
///
///     ^\d+\s?(?<unit>kWh|.)$    ^[0-9]+[\x{9}-\x{d}\x{20}…]?(?:kWh|[\x{0}-\x{9}\x{b}\x{c}…])$
struct PatternTranslation {
  /// PCRE2's own limit.
  private static let mostRepetitions = 65_535

  private(set) var text: [UInt8] = []
  /// The places in the text where terms of the source begin: PCRE2 reports places in the text.
  private var marks: [(text: Int, source: Int)] = []

  private let tree: PatternTree
  /// PCRE2's numbers of the capturing groups.
  private var captures: [Int: Int] = [:]
  /// The alternatives and repetitions around the current place. Those in which a part of the pattern may be passed over.
  private var path: [Step] = []
  private var stepCount = 0
  /// The paths of the capturing groups that have ended.
  private var places: [Int: [Step]] = [:]
  private var ignoresCase = false
  private var lookbehinds = 0

  private struct Step: Equatable {
    let number: Int
    let repeats: Bool
  }

  init(_ tree: PatternTree) throws(Pattern.CompileError) {
    self.tree = tree
    try append(tree.root)
  }

  /// Returns the place in the source for a place in the text.
  func sourceOffset(of offset: Int) -> Int {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].text <= offset { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? 0 : marks[low - 1].source
  }

  private mutating func append(_ string: String) { text += string.utf8 }

  // MARK: Structure

  private mutating func append(_ disjunction: Disjunction) throws(Pattern.CompileError) {
    for (index, alternative) in disjunction.alternatives.enumerated() {
      if index > 0 { append("|") }
      let depth = path.count
      if disjunction.alternatives.count > 1 { enter() }
      for term in alternative { try append(term) }
      path.removeLast(path.count - depth)
    }
  }

  private mutating func append(_ term: PatternTerm) throws(Pattern.CompileError) {
    marks.append((text.count, term.offset))
    guard let repetition = term.repetition else { return try append(term.atom, at: term.offset) }
    // PCRE2 10.42 gets `[^a]*[]*$` wrong: something that can't match can only be repeated zero times.
    if case .set(.nothing) = term.atom { return append(repetition.least == 0 ? "" : "[]") }
    guard max(repetition.least, repetition.most ?? 0) <= Self.mostRepetitions else {
      throw Pattern.CompileError(
        message: "a repetition of more than \(Self.mostRepetitions) times is not supported", offset: term.offset)
    }
    let depth = path.count
    if repetition.repeats || repetition.least == 0 { enter(repeats: repetition.repeats) }
    try append(term.atom, at: term.offset)
    path.removeLast(path.count - depth)
    append(repetition.text)
  }

  private mutating func enter(repeats: Bool = false) {
    stepCount += 1
    path.append(Step(number: stepCount, repeats: repeats))
  }

  private mutating func append(_ atom: PatternAtom, at offset: Int) throws(Pattern.CompileError) {
    switch atom {
    case .character(let scalar): append(scalar)
    case .set(let set): try append(set, at: offset)
    case .start: append("^")
    case .end: append("$")
    case .lineStart: append("(?:^|(?<=[\\n\\r\\x{2028}\\x{2029}]))")
    case .lineEnd: append("(?=$|[\\n\\r\\x{2028}\\x{2029}])")
    case .wordBoundary(let word, let isNegated): append(boundary(of: word, isNegated: isNegated))
    case .group(let body, let number): try append(group: body, number: number)
    case .caseGroup(let body, let inner):
      append(inner ? "(?i:" : "(?-i:")
      let outer = ignoresCase
      ignoresCase = inner
      try append(body)
      ignoresCase = outer
      append(")")
    case .look(let look, let body):
      append(look.isBehind ? "(?<" : "(?")
      append(look.isNegated ? "!" : "=")
      lookbehinds += look.isBehind ? 1 : 0
      try append(body)
      lookbehinds -= look.isBehind ? 1 : 0
      append(")")
    case .reference(let reference): try append(reference, at: offset)
    }
  }

  /// Appends a group. It captures only if something refers to it.
  private mutating func append(group body: Disjunction, number: Int?) throws(Pattern.CompileError) {
    if let number, tree.referencedGroups.contains(number) {
      captures[number] = captures.count + 1
      append("(")
      try append(body)
      places[number] = path
    } else {
      append("(?:")
      try append(body)
    }
    append(")")
  }

  /// Appends a reference to a group.
  ///
  /// In ECMA-262 each round of a repetition begins with its groups unset (section 22.2.2.3.1), and an optional round that matches
  /// nothing doesn't count; PCRE2 keeps the captures of earlier rounds. So a group in a repetition can be referred to only in the
  /// same round, where nothing may have passed over it.
  private mutating func append(_ reference: String, at offset: Int) throws(Pattern.CompileError) {
    guard lookbehinds == 0 else {
      throw Pattern.CompileError(message: "back-references in a lookbehind are not supported", offset: offset)
    }
    append("(?:")
    // A reference in its group, or before it, is empty.
    for group in tree.groups(of: reference) {
      guard let place = places[group] else { continue }
      guard !place.contains(where: \.repeats) || path.starts(with: place) else {
        throw Pattern.CompileError(
          message: "a back-reference from outside of a repetition to a group in it is not supported",
          offset: offset)
      }
      append("\\g{\(captures[group] ?? 0)}")
    }
    append(")")
  }

  // MARK: Characters

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0..<0x20, 0x7F: append("\\x{\(String(scalar.value, radix: 16))}")
    case 0x80...: text += UTF8.encode(scalar).map(Array.init) ?? []
    default:
      if !scalar.isDigit && !scalar.isLetterOfASCII { append("\\") }
      text.append(UInt8(truncatingIfNeeded: scalar.value))
    }
  }

  private mutating func append(code: UInt32) {
    if let scalar = Unicode.Scalar(code) { append(scalar) }
  }

  private mutating func append(_ set: ScalarSet, at offset: Int) throws(Pattern.CompileError) {
    if ignoresCase && !set.properties.isEmpty {
      throw Pattern.CompileError(message: "\\p{…} is not supported in case-insensitive patterns", offset: offset)
    }
    if set == .everything { return append("[^]") }
    append(set.isNegated ? "[^" : "[")
    for range in set.ranges {
      append(code: range.lowerBound)
      guard range.count > 1 else { continue }
      append("-")
      append(code: range.upperBound)
    }
    for property in set.properties { append(property) }
    append("]")
  }

  private func boundary(of word: ScalarSet, isNegated: Bool) -> String {
    // PCRE2's own means [A-Za-z0-9_], because without PCRE2_UCP it knows only ASCII words.
    guard word == .wordIgnoringCase else { return isNegated ? "\\B" : "\\b" }
    // Case is ignored here: the class contains the characters that fold to ASCII.
    let inside = "[A-Za-z0-9_]"
    return isNegated
      ? "(?:(?<=\(inside))(?=\(inside))|(?<!\(inside))(?!\(inside)))"
      : "(?:(?<=\(inside))(?!\(inside))|(?<!\(inside))(?=\(inside)))"
  }
}

extension Repetition {
  /// PCRE2's syntax, the same as ECMA-262's.
  fileprivate var text: String {
    let counts =
      switch (least, most) {
      case (0, nil): "*"
      case (1, nil): "+"
      case (0, 1): "?"
      case (let least, nil): "{\(least),}"
      case (let least, let most?): least == most ? "{\(least)}" : "{\(least),\(most)}"
      }
    return isLazy ? counts + "?" : counts
  }
}
