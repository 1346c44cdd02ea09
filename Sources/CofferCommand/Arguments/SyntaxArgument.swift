import ArgumentParser
import Coffer

/// What a document is written in: `json`, or `ndjson` for JSON Lines.
enum SyntaxArgument: String, ExpressibleByArgument, CaseIterable {
  case json, ndjson

  var syntax: JSONSyntax {
    switch self {
    case .json: .json
    case .ndjson: .jsonLines
    }
  }
}
