import ByteStreams
import Findings
import JSONEvents
package import Rules

/// A small document in addition to the main one, with its own rules, and values that must agree with the main document.
package struct SideDocument: Sendable {
  /// The name of its entry.
  package let name: String
  /// True if an archive without it is invalid.
  package let isRequired: Bool
  package let rules: RuleDocument
  package let agreements: [Agreement]

  /// A value that must equal a value of the main document.
  package struct Agreement: Sendable {
    /// The JSON Pointer in the side document.
    package let pointer: String
    package let place: WatchedPlace
    /// The place as spelled in the descriptor, for messages.
    package let text: String
    package let grading: Schema.Grading
    /// The location of the agreement in the descriptor.
    package let location: String
  }

  init(_ member: JSONValue.Member, _ definitions: JSONValue.Located?, at pointer: String) throws(CofferError) {
    name = member.key
    let value = member.value
    isRequired = value["required"]?.boolean ?? true
    rules = try Self.rules(value["rules"], definitions, pointer + "/rules", value.position)
    var agreements: [Agreement] = []
    for member in value["agrees"]?.object ?? [] {
      agreements.append(try Agreement(member, at: pointer + "/agrees/" + member.key.pointerToken))
    }
    self.agreements = agreements
  }

  /// Reads rules: a schema in the descriptor, which may refer to the descriptor's `$defs`.
  private static func rules(
    _ schema: JSONValue.Located?, _ definitions: JSONValue.Located?, _ pointer: String, _ position: TextPosition
  ) throws(CofferError) -> RuleDocument {
    var members = (schema?.object ?? []).map { "\"\($0.key)\": \($0.value.text)" }
    if let definitions { members.append("\"$defs\": \(definitions.text)") }
    do {
      return try RuleDocument(MemorySource("{\(members.joined(separator: ", "))}".utf8))
    } catch {
      throw CofferError(rules: error.message, at: pointer, schema?.position ?? position)
    }
  }
}

extension SideDocument.Agreement {
  /// Reads `"/a": "/b"`, the value at `/b`, or `"/a": {"countOf": "/b"}`, the number of items at `/b`.
  init(_ member: JSONValue.Member, at location: String) throws(CofferError) {
    let value = member.value
    let count = value["countOf"]
    let text = (count ?? value["valueOf"] ?? value).string
    guard let text, let tokens = text.pointerTokens, !tokens.isEmpty, !tokens.contains("*"),
      member.key.pointerTokens?.isEmpty == false
    else {
      throw CofferError(
        rules:
          "expected a JSON Pointer into each document, such as \"/timestamp\": \"/exportDate\" or \"/photoCount\": {\"countOf\": \"/photos\"}",
        at: location, value.position)
    }
    pointer = member.key
    self.text = text
    self.location = location
    place = count == nil ? .value(tokens) : .count(tokens)
    var grading = Schema.Grading()
    grading.code = value["code"]?.string ?? (count == nil ? "consistency" : "count-of")
    grading.message = value["errorMessage"]?.string
    if let severity = value["severity"] {
      guard let known = severity.string.flatMap(Severity.init(rawValue:)) else {
        throw CofferError(rules: "severity must be error, warning or note", at: location + "/severity", severity.position)
      }
      grading.severity = known
    }
    self.grading = grading
  }
}
