/// Why there are no records where they were asked for.
///
/// For example, of `CollectionSelection(["car"])` and a format that has no such collection:
///
///     error.code           // unknown-collection
///     error.pointer        // car
///     error.message        // ev-charging-tracker knows no collection 'car': it has cars, expenses, …
public struct CollectionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in kebab case, such as `not-found`.
    public let rawValue: String
    /// A code by its text; any text is one.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is not a JSON Pointer (RFC 6901).
    public static let invalidPointer = Code(rawValue: "invalid-pointer")
    /// The document has no such value.
    public static let notFound = Code(rawValue: "not-found")
    /// The value is not an array.
    public static let notAnArray = Code(rawValue: "not-an-array")
    /// The document has two such values: an object has the same key twice.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// The rules describe no collection of that name.
    public static let unknown = Code(rawValue: "unknown-collection")
    /// Collections can't be chosen here.
    public static let noCollections = Code(rawValue: "no-collections")
  }

  /// The code, for programs.
  public let code: Code
  /// The JSON Pointer or name that was asked for.
  public let pointer: String
  /// What the pointer found instead, or where it ended.
  public let message: String

  /// An error of one's own, such as a test needs.
  public init(code: Code, pointer: String, message: String) {
    self.code = code
    self.pointer = pointer
    self.message = message
  }

  public var description: String { message }
}
