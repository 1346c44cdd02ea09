public import ByteStreams
import JSONEvents

extension CofferError.Code {
  /// A rule document can't be used.
  public static let invalidRules = Self(rawValue: "invalid-rules")
  /// A value reached a reference of the rules to a document that is not available, so it can't be judged.
  public static let unresolvedReference = Self(rawValue: "unresolved-reference")
  /// A value reached a schema that refers to itself without descending into a member or an item, so it can't be judged.
  public static let endlessReference = Self(rawValue: "endless-reference")
  /// The cause of `invalidRules`: a relative reference leads out of the folder of the rules.
  public static let outsideFolder = Self(rawValue: "outside-folder")
  /// A stored partial result is damaged, or belongs to other rules or to another place in the document.
  public static let damagedPartial = Self(rawValue: "damaged-partial")
  /// The text is not a JSON Pointer (RFC 6901), or names no array whose items can have rules.
  public static let invalidPointer = Self(rawValue: "invalid-pointer")
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

  /// A stored partial result can't be used.
  package static let damagedPartial = CofferError(
    .damagedPartial, "the partial result is damaged, or is not the next one of this document and these rules")

  /// A rule document is larger than `JSONValue.sizeLimit` bytes.
  package static let rulesTooLarge = CofferError(
    rules: "the rule document is larger than the limit of \(JSONValue.sizeLimit >> 20) MiB", at: "",
    TextPosition(offset: 0, line: 1, column: 1))
}
