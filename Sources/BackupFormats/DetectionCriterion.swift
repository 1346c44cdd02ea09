import ByteStreams
import JSONEvents
import Rules

/// A detection criterion: a condition on the start of a document.
///
///     "/cars/*/milleageSyncedAt"                                 a value exists at the path
///     {"at": "/cars/*/expenseCurrency", "every": "^[A-Z]{3}$"}   there is a string at the path, and all of them match
///     {"container": "zip"}                                       the document is an entry of a ZIP, or (json) a separate file
///     {"all": […]}   {"any": […]}   {"not": …}
enum DetectionCriterion: Sendable {
  case exists(String)
  indirect case every(String, Pattern)
  case container(BackupFormat.Container)
  case all([DetectionCriterion])
  case any([DetectionCriterion])
  indirect case not(DetectionCriterion)

  init(_ value: RuleValue) throws(CofferError) {
    if let path = value.string {
      guard path.hasPrefix("/") else { throw value.error("expected a JSON Pointer ('*': any item)") }
      self = .exists(path)
    } else if let parts = value["all"] {
      self = .all(try Self.parts(parts))
    } else if let parts = value["any"] {
      self = .any(try Self.parts(parts))
    } else if let part = value["not"] {
      self = .not(try DetectionCriterion(part))
    } else if let name = value["container"] {
      self = .container(try name.expectChoice(BackupFormat.Container.allCases))
    } else if let path = value["at"]?.string, let pattern = value["every"] {
      self = .every(path, try pattern.expectPattern())
    } else {
      throw value.error("expected a JSON Pointer, all, any, not, container, or at with every")
    }
  }

  private static func parts(_ value: RuleValue) throws(CofferError) -> [DetectionCriterion] {
    try value.expectItems(of: "criteria").map { item throws(CofferError) in try DetectionCriterion(item) }
  }

  /// The paths that it uses.
  var paths: Set<String> {
    switch self {
    case .exists(let path), .every(let path, _): [path]
    case .container: []
    case .all(let clues), .any(let clues): clues.reduce(into: []) { $0.formUnion($1.paths) }
    case .not(let clue): clue.paths
    }
  }

  /// Returns true if the start of a document satisfies it.
  func holds(in outline: DocumentOutline, matcher: Pattern.Matcher) -> Bool {
    switch self {
    case .exists(let path): outline.paths.contains(path)
    case .every(let path, let pattern):
      outline.strings[path].map { texts in
        texts.allSatisfy { text in ByteView.with(text) { matcher.match(pattern, in: $0) == .match } }
      } ?? false
    case .container(let container): outline.container == container
    case .all(let clues): clues.allSatisfy { $0.holds(in: outline, matcher: matcher) }
    case .any(let clues): clues.contains { $0.holds(in: outline, matcher: matcher) }
    case .not(let clue): !clue.holds(in: outline, matcher: matcher)
    }
  }
}
