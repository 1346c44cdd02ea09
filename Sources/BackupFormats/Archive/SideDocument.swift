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

  init(_ member: RuleValue.Member, _ definitions: JSONValue.Located?) throws(CofferError) {
    name = member.key
    let value = member.value
    isRequired = value["required"]?.boolean ?? true
    rules = try Self.rules(of: value, definitions)
    agreements = try (value["agrees"]?.members ?? []).map { member throws(CofferError) in try Agreement(member) }
  }

  /// Reads `rules`: a schema in the descriptor, which may refer to the descriptor's `$defs`.
  private static func rules(of value: RuleValue, _ definitions: JSONValue.Located?) throws(CofferError) -> RuleDocument {
    var members = (value["rules"]?.json.object ?? []).map { "\"\($0.key)\": \($0.value.text)" }
    if let definitions { members.append("\"$defs\": \(definitions.text)") }
    do {
      return try RuleDocument(MemorySource("{\(members.joined(separator: ", "))}".utf8))
    } catch {
      throw value.error(error.message, at: "rules")
    }
  }
}

extension SideDocument.Agreement {
  /// Reads `"/a": "/b"`, the value at `/b`, or `"/a": {"countOf": "/b"}`, the number of items at `/b`.
  init(_ member: RuleValue.Member) throws(CofferError) {
    let value = member.value
    let count = value["countOf"]
    let text = (count ?? value["valueOf"] ?? value).string
    guard let text, let tokens = text.pointerTokens, !tokens.isEmpty, !tokens.contains("*"),
      member.key.pointerTokens?.isEmpty == false
    else {
      throw value.error(
        "expected a JSON Pointer into each document, such as \"/timestamp\": \"/exportDate\" or \"/photoCount\": {\"countOf\": \"/photos\"}"
      )
    }
    pointer = member.key
    self.text = text
    location = value.pointer
    place = count == nil ? .value(tokens) : .count(tokens)
    var grading = Schema.Grading()
    grading.code = value["code"]?.string ?? (count == nil ? "consistency" : "count-of")
    grading.message = value["errorMessage"]?.string
    if let severity = try value["severity"]?.expectChoice(Severity.mostSevereFirst) { grading.severity = severity }
    self.grading = grading
  }
}
