public import JSONEvents

/// Why a rule document can't be used.
public struct RuleCompileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public let message: String
  /// The URI of the document that is meant, where it is one that the rule document refers to.
  public let document: String?
  /// Where in that document, as a JSON Pointer.
  public let pointer: String
  /// The line and column of that place.
  public let position: TextPosition

  package init(_ message: String, at pointer: String, _ position: TextPosition, in document: String? = nil) {
    self.message = message
    self.document = document
    self.pointer = pointer
    self.position = position
  }

  /// A rule document has more bytes than `JSONValue.sizeLimit`.
  package static let tooLarge = RuleCompileError(
    "a rule document may have \(JSONValue.sizeLimit >> 20) MiB at most", at: "", TextPosition(offset: 0, line: 1, column: 1))

  public var description: String {
    let document = document.map { "\($0), " } ?? ""
    return "\(message) (\(document)\(pointer.isEmpty ? "the root" : pointer), line \(position.line), column \(position.column))"
  }
}
