import Findings

/// The cost of rules for validation: the memory that grows with a document, and the arrays that only one thread can process.
///
/// Everything else costs memory only for a document's depth, and one pass of time.
///
/// Places are JSON Pointers into documents, where `*` matches any item, or any member that the rules don't name:
/// `/cars/*/trips`. The needs of recursive rules are listed once, at their shortest place.
///
/// In a report:
///
///     {"schemas": 12, "states": 20, "namePatterns": 1,
///       "needs": [{"kind": "keys", "place": "/cars", "schema": "/properties/cars/primaryKey", "line": 4}],
///       "collections": [{"place": "/cars", "sliced": true},
///                       {"place": "/expenses", "sliced": false, "reason": "counts", "schema": …, "line": 9}]}
public struct RuleCost: Sendable, Equatable, Encodable {
  /// A keyword in the rules.
  public struct Origin: Sendable, Hashable, Encodable {
    /// A JSON Pointer into the rule document, or a URI with one.
    public var location: String
    /// The line, from 1, in the document that the location names.
    public var line: Int

    private enum CodingKeys: String, CodingKey { case location = "schema", line }

    package init(location: String, line: Int) {
      self.location = location
      self.line = line
    }
  }

  /// A rule that keeps some data for each value that it checks.
  public struct Need: Sendable, Hashable {
    /// The kind of data kept. The raw values are the names in reports.
    public enum Kind: String, Sendable, CaseIterable, Encodable {
      /// A key of each record, to find duplicates.
      case keys
      /// A key of each record that references look for.
      case definitions
      /// A reference that precedes the record it refers to.
      case references
      /// A digest of each item, to find duplicates.
      case items
      /// Items compared for a branch that waits for the result.
      case itemsInBranch = "items-in-branch"
      /// A value that is compared with something after the array around it.
      case comparisons
      /// A number that is compared with a count at the end of the document.
      case counts
      /// The declared properties of a container entry.
      case entries
      /// Findings of branches that look into arrays and objects, until the branch is decided.
      case findings
      /// An answer for each branch of a recursive rule whose comparisons use surrounding fields: the number doubles with each
      /// level, up to a limit that ends the run.
      case answers
      /// A digest of a whole array or object, made item by item; it takes time, and memory only for its depth.
      case digests
    }

    public var kind: Kind
    /// The place of the values.
    public var place: String
    /// The rule that needs the data.
    public var origin: Origin
  }

  /// An array that the rules look into.
  public struct Collection: Sendable, Hashable {
    /// The collection's place.
    public var place: String
    /// The reason why its items can't be evaluated in slices on several threads, or `nil` if they can.
    public var obstacle: Obstacle?
  }

  /// The reason why an array must be evaluated by one thread.
  public struct Obstacle: Sendable, Hashable {
    /// The raw values are the names in reports.
    public enum Reason: String, Sendable, CaseIterable, Encodable {
      /// `contains` counts the matching items.
      case counts
      /// The validity of an item decides a branch (`anyOf`, `oneOf`, `not`, `if`) of the array or of its surroundings.
      case branch
      /// An item is subject to `unevaluatedItems` or `unevaluatedProperties`, and branches decide which items are.
      case unevaluated
      /// A branch waits for the result of `uniqueItems`.
      case uniqueItems = "unique-items"
      /// The array, or a container around it, is compared as a whole.
      case comparison
    }

    public var reason: Reason
    /// The keyword responsible.
    public var origin: Origin
  }

  /// The number of schemas, including those that the rules refer to.
  public var schemas: Int
  /// The number of states: a schema has one for each context that makes a difference.
  public var states: Int
  /// The number of patterns that are tried on member names not named by the rules.
  public var namePatterns: Int
  /// The needs, by place.
  public var needs: [Need]
  /// The collections, by place.
  public var collections: [Collection]
}

/// A rule's need in a report: `{"kind": "keys", "place": "/cars", "schema": "/properties/cars/primaryKey", "line": 4}`.
extension RuleCost.Need: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["kind": kind, "place": place])
    try origin.encode(to: encoder)
  }
}

/// An array in a report: `{"place": "/cars", "sliced": true}`, or
/// `{"place": "/expenses", "sliced": false, "reason": "counts", "schema": …, "line": 9}`.
extension RuleCost.Collection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["place": place, "sliced": obstacle == nil, "reason": IfPresent(obstacle?.reason)])
    try obstacle?.origin.encode(to: encoder)
  }
}
