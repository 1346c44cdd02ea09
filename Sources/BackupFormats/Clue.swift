import JSONEvents
import Rules

/// What the start of a document must show to be of a format.
///
///     "/cars/*/milleageSyncedAt"                                 some value stands there
///     {"at": "/cars/*/expenseCurrency", "every": "^[A-Z]{3}$"}   all strings there match, and there is one
///     {"all": […]}   {"any": […]}   {"not": …}
indirect enum Clue: Sendable {
  case exists(String)
  case every(String, Pattern)
  case all([Clue])
  case any([Clue])
  case not(Clue)

  init(_ value: JSONValue.Located, at pointer: String) throws(RuleCompileError) {
    if let path = value.string {
      guard path.hasPrefix("/") else {
        throw RuleCompileError("expected a JSON Pointer, '*' standing for any item", at: pointer, value.position)
      }
      self = .exists(path)
    } else if let parts = value["all"] {
      self = .all(try Self.parts(parts, at: pointer + "/all"))
    } else if let parts = value["any"] {
      self = .any(try Self.parts(parts, at: pointer + "/any"))
    } else if let part = value["not"] {
      self = .not(try Clue(part, at: pointer + "/not"))
    } else if let path = value["at"]?.string, let source = value["every"]?.string {
      do {
        self = .every(path, try Pattern(source))
      } catch {
        throw RuleCompileError("the pattern is wrong: \(error.message)", at: pointer + "/every", value.position)
      }
    } else {
      throw RuleCompileError("a clue is a pointer, all, any, not, or at with every", at: pointer, value.position)
    }
  }

  private static func parts(_ value: JSONValue.Located, at pointer: String) throws(RuleCompileError) -> [Clue] {
    guard let items = value.array else { throw RuleCompileError("expected a list of clues", at: pointer, value.position) }
    var clues: [Clue] = []
    for (index, item) in items.enumerated() { clues.append(try Clue(item, at: "\(pointer)/\(index)")) }
    return clues
  }

  /// Whether the document's start shows it.
  func holds(in outline: DocumentOutline, matcher: Pattern.Matcher) -> Bool {
    switch self {
    case .exists(let path): outline.paths.contains(path)
    case .every(let path, let pattern):
      outline.strings[path].map { texts in
        texts.allSatisfy { text in ByteView.with(text) { matcher.match(pattern, in: $0) == .match } }
      } ?? false
    case .all(let clues): clues.allSatisfy { $0.holds(in: outline, matcher: matcher) }
    case .any(let clues): clues.contains { $0.holds(in: outline, matcher: matcher) }
    case .not(let clue): !clue.holds(in: outline, matcher: matcher)
    }
  }
}
