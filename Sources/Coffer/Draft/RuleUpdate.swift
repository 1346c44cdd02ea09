import RuleDrafts
package import Rules

/// Rules that were widened to admit further documents.
public struct RuleUpdate: Sendable {
  /// A keyword that was changed.
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// The keyword's place in the rules, as a JSON Pointer.
    public let location: String
    /// Its value before and after, as JSON; `nil`: absent.
    public let before: String?
    public let after: String?

    /// `/properties/id/type: "integer" -> ["integer","null"]`, with `+` or `-` for a keyword that was added or removed.
    public var description: String {
      switch (before, after) {
      case (nil, let after?): "+ \(location): \(after)"
      case (let before?, nil): "- \(location): \(before)"
      case (let before?, let after?): "~ \(location): \(before) -> \(after)"
      case (nil, nil): location
      }
    }
  }

  package let document: JSONValue.Located
  public let changes: [Change]
  /// The number of findings that are left, because no keyword could be widened so that they disappear.
  public let findingsLeft: Int

  /// The rules as a JSON document.
  public var json: String { DraftText.text(of: document, as: .json) }

  /// The rules as a YAML document, without the comments of the original.
  public var yaml: String { DraftText.text(of: document, as: .yaml) }
}
