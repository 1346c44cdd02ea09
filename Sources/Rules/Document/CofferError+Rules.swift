public import ByteStreams
import JSONEvents

extension CofferError.Code {
  /// A rule document can't be used.
  public static let invalidRules = Self(rawValue: "invalid-rules")
}

extension CofferError {
  /// Creates the error of a rule document.
  ///
  /// - Parameters:
  ///   - document: the URI of the affected document, if it is one that the rule document refers to.
  ///   - pointer: the place in that document.
  package init(rules message: String, at pointer: String, _ position: TextPosition, in document: String? = nil) {
    self.init(.invalidRules, message, at: Place(document: document, pointer: pointer, position: position))
  }

  /// A rule document is larger than `JSONValue.sizeLimit` bytes.
  package static let rulesTooLarge = CofferError(
    rules: "a rule document may have at most \(JSONValue.sizeLimit >> 20) MiB", at: "",
    TextPosition(offset: 0, line: 1, column: 1))
}
