/// What rules cost whoever validates by them: the memory that grows with a document, and the arrays that only one thread can work on.
///
/// All else costs memory for a document's depth alone, and one pass of time.
///
/// Places are those in documents, as JSON Pointers in which `*` stands for any item, or any member that the rules don't name: `/cars/*/trips`.
/// What rules that refer to themselves ask again and again deeper down is listed once, at its shortest place.
public struct RuleCost: Sendable, Equatable {
  /// A keyword in the rules.
  public struct Origin: Sendable, Hashable {
    /// A JSON Pointer into the rule document, or a URI with one.
    public var location: String
    /// From 1 on, in the document that the location names.
    public var line: Int

    package init(location: String, line: Int) {
      self.location = location
      self.line = line
    }
  }

  /// A rule that keeps something of each value that it looks at.
  public struct Need: Sendable, Hashable {
    /// What is kept, by the names that reports have for it.
    public enum Kind: String, Sendable, CaseIterable {
      /// A key of each record, to find it twice.
      case keys
      /// A key of each record that references look for.
      case definitions
      /// A reference that comes before the record that it refers to.
      case references
      /// A digest of each item, to find it twice.
      case items
      /// The same where a branch waits for the verdict.
      case itemsInBranch = "items-in-branch"
      /// A value that is compared with what comes after the array that it stands in.
      case comparisons
      /// A number that is compared with a count when the document has ended.
      case counts
      /// What is said of an entry of the container.
      case entries
      /// Findings of branches that look into arrays and objects, until the branch is decided.
      case findings
      /// An answer for each branch that asks again below itself, for what is compared with fields around it: twice as many with each level, to a limit
      /// that ends the run.
      case answers
      /// A digest of a whole array or object, made item by item; it takes time, and memory for its depth alone.
      case digests
    }

    public var kind: Kind
    /// Where the values stand.
    public var place: String
    /// The rule that asks for it.
    public var origin: Origin
  }

  /// An array that the rules look into.
  public struct Collection: Sendable, Hashable {
    /// Where it stands.
    public var place: String
    /// Why its items can't be evaluated slice by slice on several threads; `nil`: they can.
    public var obstacle: Obstacle?
  }

  /// Why an array must be evaluated by one thread.
  public struct Obstacle: Sendable, Hashable {
    /// By the names that reports have for it.
    public enum Reason: String, Sendable, CaseIterable {
      /// `contains` counts the items that match.
      case counts
      /// Whether an item is sound decides a branch (`anyOf`, `oneOf`, `not`, `if`) of the array, or of what is around it.
      case branch
      /// An item is judged by `unevaluatedItems` or `unevaluatedProperties`, and branches decide which.
      case unevaluated
      /// A branch waits for the verdict of `uniqueItems`.
      case uniqueItems = "unique-items"
      /// The array, or what is around it, is compared as a whole.
      case comparison
    }

    public var reason: Reason
    /// The keyword that is the reason.
    public var origin: Origin
  }

  /// How many schemas the rules consist of, those that they refer to included.
  public var schemas: Int
  /// How many states they come to: a schema is one for each way in which it is come to that makes a difference.
  public var states: Int
  /// How many patterns names of members are tried by, where no rule knows the name itself.
  public var namePatterns: Int
  /// By place.
  public var needs: [Need]
  /// By place.
  public var collections: [Collection]
}
