extension Pattern {
  /// Returns texts that are likely to match a pattern, for generators. Callers must verify them with a ``Matcher``.
  ///
  /// Lookarounds, boundaries and back-references are skipped. Repetitions stop a few past their minimum.
  package static func samples(of source: String, count: Int, random: inout some RandomNumberGenerator) -> [String] {
    guard let tree = try? PatternParser.parse(source) else { return [] }
    return (0..<count).map { _ in
      var text = String.UnicodeScalarView()
      tree.root.appendSample(to: &text, &random, depth: 0)
      return String(text)
    }
  }
}

private let longestSample = 512

extension Disjunction {
  fileprivate func appendSample(to text: inout String.UnicodeScalarView, _ random: inout some RandomNumberGenerator, depth: Int) {
    guard depth < 32, let terms = alternatives.randomElement(using: &random) else { return }
    for term in terms {
      let least = term.repetition?.least ?? 1
      let most = min(term.repetition.map { $0.most ?? .max } ?? 1, least < .max - 6 ? least + 6 : least)
      for _ in 0..<Int.random(in: least...max(least, most), using: &random) where text.count < longestSample {
        term.atom.appendSample(to: &text, &random, depth: depth + 1)
      }
    }
  }
}

extension PatternAtom {
  fileprivate func appendSample(to text: inout String.UnicodeScalarView, _ random: inout some RandomNumberGenerator, depth: Int) {
    switch self {
    case .character(let scalar): text.append(scalar)
    case .set(let set): if let scalar = set.sample(&random) { text.append(scalar) }
    case .group(let body, _), .caseGroup(let body, _): body.appendSample(to: &text, &random, depth: depth)
    case .start, .end, .lineStart, .lineEnd, .wordBoundary, .look, .reference: break
    }
  }
}

extension ScalarSet {
  /// Returns a printable ASCII character if the set has one, preferably a letter or digit.
  fileprivate func sample(_ random: inout some RandomNumberGenerator) -> Unicode.Scalar? {
    func holds(_ code: UInt32) -> Bool { ranges.contains { $0.contains(code) } != isNegated }
    let printable = (0x20...0x7E as ClosedRange<UInt32>).filter(holds)
    let plain = printable.filter { code in
      Unicode.Scalar(code).map { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? false
    }
    if let code = (plain.isEmpty ? printable : plain).randomElement(using: &random) { return Unicode.Scalar(code) }
    guard !isNegated, let range = ranges.randomElement(using: &random) else { return nil }
    return Unicode.Scalar(UInt32.random(in: range, using: &random))
  }
}
