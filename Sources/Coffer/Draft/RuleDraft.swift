import RuleDrafts
package import Rules

/// Rules that were drafted from documents.
public struct RuleDraft: Sendable {
  /// A rule that was not concluded.
  public struct Note: Sendable, Hashable {
    /// The place of the values, as a JSON Pointer with `*` for any item.
    public let pointer: String
    /// Why there is no rule.
    public let reason: String
  }

  package let document: JSONValue.Located
  /// The number of documents that were read, and of their bytes.
  public let documents: Int
  public let bytes: Int
  /// Why rules were not concluded, by place.
  public let notes: [Note]
  /// The numbers of primary keys and unique keys, and of references.
  public let keyCount: Int
  public let referenceCount: Int

  /// The rules as a JSON document. Each rule's evidence is in a `$comment`.
  public var json: String { DraftText.text(of: document, as: .json) }

  /// The rules as a YAML document. Each rule's evidence is in a comment.
  public var yaml: String { DraftText.text(of: document, as: .yaml) }
}
