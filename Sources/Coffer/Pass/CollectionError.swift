/// Why there are no records where they were asked for.
public struct CollectionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is no JSON Pointer (RFC 6901).
    public static let invalidPointer = Code(rawValue: "invalid-pointer")
    /// The document has no such value.
    public static let notFound = Code(rawValue: "not-found")
    /// The value is no array.
    public static let notAnArray = Code(rawValue: "not-an-array")
    /// The document has two such values: an object has the same key twice.
    public static let ambiguous = Code(rawValue: "ambiguous")
  }

  public let code: Code
  /// The JSON Pointer that was asked for.
  public let pointer: String
  /// What is there instead, or how far the pointer leads.
  public let message: String

  public init(code: Code, pointer: String, message: String) {
    self.code = code
    self.pointer = pointer
    self.message = message
  }

  public var description: String { message }
}
