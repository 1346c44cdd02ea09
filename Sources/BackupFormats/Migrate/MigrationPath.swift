import JSONEvents
import Rules

/// A place of a document, or many: a JSON Pointer that may have `*` for every item of an array.
package enum MigrationPath {
  package enum Token: Sendable, Hashable {
    case member(MemberName)
    case items
  }

  /// Longer paths lead nowhere in any document of ours, and they are walked by functions that call themselves.
  private static let limit = 64

  /// - Parameter pointer: where in the descriptor the path stands.
  static func tokens(of value: JSONValue.Located, at pointer: String) throws(RuleCompileError) -> [Token] {
    guard let tokens = value.string?.pointerTokens, !tokens.isEmpty else {
      throw RuleCompileError(
        "expected a JSON Pointer such as \"/cars/*/name\", '*' standing for every item of an array", at: pointer, value.position)
    }
    guard tokens.count <= limit else {
      throw RuleCompileError("a path has \(limit) names at most", at: pointer, value.position)
    }
    return tokens.map { $0 == "*" ? .items : .member(MemberName($0)) }
  }
}

extension [MigrationPath.Token] {
  /// The names, if it leads over no items.
  var memberNames: [MemberName]? {
    var names: [MemberName] = []
    for token in self {
      guard case .member(let name) = token else { return nil }
      names.append(name)
    }
    return names
  }
}
