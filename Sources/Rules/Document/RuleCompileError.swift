public import JSONEvents

/// Why a rule document can't be used.
public struct RuleCompileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public let message: String
  /// Where in the rule document, as a JSON Pointer.
  public let pointer: String
  public let position: TextPosition

  package init(_ message: String, at pointer: String, _ position: TextPosition) {
    self.message = message
    self.pointer = pointer
    self.position = position
  }

  public var description: String {
    "\(message) (\(pointer.isEmpty ? "the root" : pointer), line \(position.line), column \(position.column))"
  }
}
