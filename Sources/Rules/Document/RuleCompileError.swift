public import JSONEvents

/// The reason why a rule document can't be used.
public struct RuleCompileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public let message: String
  /// The URI of the affected document, if it is one that the rule document refers to.
  public let document: String?
  /// The place in that document, as a JSON Pointer.
  public let pointer: String
  /// The line and column of that place.
  public let position: TextPosition

  package init(_ message: String, at pointer: String, _ position: TextPosition, in document: String? = nil) {
    self.message = message
    self.document = document
    self.pointer = pointer
    self.position = position
  }

  /// A rule document is larger than `JSONValue.sizeLimit` bytes.
  package static let tooLarge = RuleCompileError(
    "a rule document may have at most \(JSONValue.sizeLimit >> 20) MiB", at: "", TextPosition(offset: 0, line: 1, column: 1))

  public var description: String {
    let document = document.map { "\($0), " } ?? ""
    return "\(message) (\(document)\(pointer.isEmpty ? "the root" : pointer), line \(position.line), column \(position.column))"
  }
}
