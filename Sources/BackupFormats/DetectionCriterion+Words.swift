import Rules

extension DetectionCriterion {
  /// The criterion as a statement about a document that satisfies it; alternatives are joined with "or".
  var words: String {
    switch self {
    case .exists(let path): "\(path) exists"
    case .every(let path, let pattern): "every string at \(path) matches \(pattern.source)"
    case .container(.json): "it is a separate file"
    case .container(.zip): "it is a ZIP entry"
    case .all(let clues): clues.map(\.words).joined(separator: " and ")
    case .any(let clues): clues.map { $0.isAlternative ? "(\($0.words))" : $0.words }.joined(separator: " or ")
    case .not(let clue): clue.denial
    }
  }

  /// The negated statement.
  var denial: String {
    switch self {
    case .exists(let path): "\(path) is missing"
    case .every(let path, let pattern): "not every string at \(path) matches \(pattern.source)"
    case .container(.json): "it is not a separate file"
    case .container(.zip): "it is not a ZIP entry"
    case .all(let clues): clues.map(\.denial).joined(separator: " or ")
    case .any(let clues): clues.map { $0.isAlternative ? "(\($0.denial))" : $0.denial }.joined(separator: " and ")
    case .not(let clue): clue.words
    }
  }

  /// The criterion in a list: for existence, only the path.
  var name: String {
    switch self {
    case .exists(let path): path
    case .every(let path, let pattern): "\(path) matching \(pattern.source)"
    case .container(.json): "separate file"
    case .container(.zip): "ZIP entry"
    case .all(let clues): clues.map { $0.isChoice ? "(\($0.name))" : $0.name }.joined(separator: " and ")
    case .any(let clues): clues.map(\.name).joined(separator: " or ")
    case .not(.any(let clues)): "neither " + clues.map(\.name).joined(separator: " nor ")
    case .not(let clue): "no \(clue.name)"
    }
  }

  private var isChoice: Bool { if case .any(let parts) = self { parts.count > 1 } else { false } }

  private var isAlternative: Bool { if case .all(let parts) = self { parts.count > 1 } else { false } }
}
