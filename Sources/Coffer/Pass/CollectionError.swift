/// An error in the choice of collections or records.
///
/// For example, for `CollectionSelection(["car"])` and a format without such a collection:
///
///     error.code           // unknown-collection
///     error.pointer        // car
///     error.message        // ev-charging-tracker has no collection 'car': it has cars, expenses, …
public struct CollectionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An error code, stable for programs. Later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in kebab case, such as `not-found`.
    public let rawValue: String
    /// Creates a code from any text.
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
  /// The requested JSON Pointer or name.
  public let pointer: String
  /// A description: what the pointer found instead, or where it ended.
  public let message: String

  /// Creates an error, for example in a test.
  public init(code: Code, pointer: String, message: String) {
    self.code = code
    self.pointer = pointer
    self.message = message
  }

  public var description: String { message }
}
