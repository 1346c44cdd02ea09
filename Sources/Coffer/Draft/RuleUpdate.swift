public import Findings
import RuleDrafts
package import Rules

/// Rules that were widened to admit further documents.
public struct RuleUpdate: Sendable {
  /// A keyword that was changed.
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// The keyword's place in the rules, as a JSON Pointer.
    public let location: String
    /// The value of the keyword before and after, as JSON; `nil`: absent.
    public let before: String?
    public let after: String?

    /// `~ /properties/id/type: "integer" -> ["integer", "null"]`; with `+` or `-`, a keyword that was added or removed.
    public var description: String {
      switch (before, after) {
      case (nil, let after?): "+ \(location): \(after)"
      case (let before?, nil): "- \(location): \(before)"
      case (let before?, let after?): "~ \(location): \(before) -> \(after)"
      case (nil, nil): location
      }
    }
  }

  /// A finding that is left.
  public struct RemainingFinding: Sendable {
    /// The name of the backup.
    public let file: String
    public let finding: Finding
  }

  package let document: JSONValue.Located
  /// The changed keywords, in the order in which they were first changed.
  public let changes: [Change]
  /// The number of errors that the widened rules still find in the backups.
  public let findingsLeft: Int
  /// The first of these errors, at most 10.
  public let firstFindingsLeft: [RemainingFinding]

  /// The rules as a JSON document.
  public var json: String { DraftText.text(of: document, as: .json) }

  /// The rules as a YAML document, without the comments of the original.
  public var yaml: String { DraftText.text(of: document, as: .yaml) }
}
