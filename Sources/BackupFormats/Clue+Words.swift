import Rules

extension Clue {
  /// The clue as it would be told of a document that shows it; parts of a choice with "or" between them.
  var words: String {
    switch self {
    case .exists(let path): "\(path) is there"
    case .every(let path, let pattern): "every text at \(path) matches \(pattern.source)"
    case .container(.json): "it is a file of its own"
    case .container(.zip): "it is an entry of a ZIP"
    case .all(let clues): clues.map(\.words).joined(separator: " and ")
    case .any(let clues): clues.map { $0.isAlternative ? "(\($0.words))" : $0.words }.joined(separator: " or ")
    case .not(let clue): clue.denial
    }
  }

  /// The contrary.
  var denial: String {
    switch self {
    case .exists(let path): "\(path) is not there"
    case .every(let path, let pattern): "not every text at \(path) matches \(pattern.source)"
    case .container(.json): "it is no file of its own"
    case .container(.zip): "it is no entry of a ZIP"
    case .all(let clues): clues.map(\.denial).joined(separator: " or ")
    case .any(let clues): clues.map { $0.isAlternative ? "(\($0.denial))" : $0.denial }.joined(separator: " and ")
    case .not(let clue): clue.words
    }
  }

  /// What the clue looks for, as a list tells it: the place alone where something is to stand there.
  var name: String {
    switch self {
    case .exists(let path): path
    case .every(let path, let pattern): "\(path) like \(pattern.source)"
    case .container(.json): "being a file of its own"
    case .container(.zip): "being an entry of a ZIP"
    case .all(let clues): clues.map { $0.isChoice ? "(\($0.name))" : $0.name }.joined(separator: " and ")
    case .any(let clues): clues.map(\.name).joined(separator: " or ")
    case .not(.any(let clues)): "neither " + clues.map(\.name).joined(separator: " nor ")
    case .not(let clue): "no \(clue.name)"
    }
  }

  private var isChoice: Bool { if case .any(let parts) = self { parts.count > 1 } else { false } }

  private var isAlternative: Bool { if case .all(let parts) = self { parts.count > 1 } else { false } }
}
