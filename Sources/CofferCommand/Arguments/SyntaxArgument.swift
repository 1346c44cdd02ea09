import ArgumentParser
import Coffer

/// The syntax of a document: `json`, or `ndjson` for JSON Lines.
enum SyntaxArgument: String, ExpressibleByArgument, CaseIterable {
  case json, ndjson

  var syntax: JSONSyntax {
    switch self {
    case .json: .json
    case .ndjson: .jsonLines
    }
  }
}
