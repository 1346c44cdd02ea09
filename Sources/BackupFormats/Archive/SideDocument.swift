import ByteStreams
import Findings
import JSONEvents
package import Rules

/// A small document beside the one that the rules are for: with rules of its own, and values that must agree with the other's.
package struct SideDocument: Sendable {
  /// The name of its entry.
  package let name: String
  /// Whether an archive without it is not sound.
  package let isRequired: Bool
  package let rules: RuleDocument
  package let agreements: [Agreement]

  /// A value here that must be that of a place in the other document.
  package struct Agreement: Sendable {
    /// Where it stands here.
    package let pointer: String
    package let place: WatchedPlace
    /// As the descriptor spells the place, for messages.
    package let text: String
    package let grading: Schema.Grading
    /// Where the descriptor asks for it.
    package let location: String
  }

  init(_ member: JSONValue.Member, _ definitions: JSONValue.Located?, at pointer: String) throws(RuleCompileError) {
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

  /// The rules are a schema of the descriptor, to whose `$defs` they may refer.
  private static func rules(
    _ schema: JSONValue.Located?, _ definitions: JSONValue.Located?, _ pointer: String, _ position: TextPosition
  ) throws(RuleCompileError) -> RuleDocument {
    var members = (schema?.object ?? []).map { "\"\($0.key)\": \($0.value.text)" }
    if let definitions { members.append("\"$defs\": \(definitions.text)") }
    do {
      return try RuleDocument(MemorySource("{\(members.joined(separator: ", "))}".utf8))
    } catch let error as RuleCompileError {
      throw RuleCompileError(error.message, at: pointer, schema?.position ?? position)
    } catch {
      throw RuleCompileError("\(error)", at: pointer, schema?.position ?? position)
    }
  }
}

extension SideDocument.Agreement {
  /// `"/a": "/b"`, the value there; `"/a": {"countOf": "/b"}`, the number of items there.
  init(_ member: JSONValue.Member, at location: String) throws(RuleCompileError) {
    let value = member.value
    let count = value["countOf"]
    let text = (count ?? value["valueOf"] ?? value).string
    guard let text, let tokens = text.pointerTokens, !tokens.isEmpty, !tokens.contains("*"),
      member.key.pointerTokens?.isEmpty == false
    else {
      throw RuleCompileError(
        "expected a JSON Pointer of each document, such as \"/timestamp\": \"/exportDate\" or \"/photoCount\": {\"countOf\": \"/photos\"}",
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
        throw RuleCompileError("severity is error, warning or note", at: location + "/severity", severity.position)
      }
      grading.severity = known
    }
    self.grading = grading
  }
}
