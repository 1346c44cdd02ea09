import ByteStreams
import JSONEvents
import Rules

/// A path to one or more values: a JSON Pointer, with `*` for every item of an array.
package enum MigrationPath {
  package enum Token: Sendable, Hashable {
    case member(MemberName)
    case items
  }

  /// Longer paths occur in no format, and recursive functions walk them.
  private static let limit = 64

  static func tokens(of value: RuleValue) throws(CofferError) -> [Token] {
    guard let tokens = value.string?.pointerTokens, !tokens.isEmpty else {
      throw value.error("expected a JSON Pointer such as \"/cars/*/name\" ('*': every item of an array)")
    }
    guard tokens.count <= limit else { throw value.error("expected a path of at most \(limit) names") }
    return tokens.map { $0 == "*" ? .items : .member(MemberName($0)) }
  }
}

extension [MigrationPath.Token] {
  /// The names, if the path has no `*`.
  var memberNames: [MemberName]? {
    var names: [MemberName] = []
    for token in self {
      guard case .member(let name) = token else { return nil }
      names.append(name)
    }
    return names
  }
}
