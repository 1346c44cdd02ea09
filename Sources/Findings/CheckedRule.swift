/// A rule that a document was checked against. Rules with the same code can be listed as one.
public struct CheckedRule: Sendable, Hashable, Codable {
  /// The code of its findings.
  public var code: String
  /// The keyword, spelled as in the rule document.
  public var keyword: String
  public var severity: Severity
  /// The `title` of the schema that has the keyword.
  public var title: String?
  /// The `description` of the schema that has the keyword.
  public var description: String?
  /// The `errorMessage` that the rule document gives it.
  public var message: String?
  /// The places of the keyword in the rule document, as JSON Pointers.
  public var schemaLocations: [String]

  public init(
    code: String, keyword: String, severity: Severity, title: String? = nil, description: String? = nil,
    message: String? = nil, schemaLocations: [String] = []
  ) {
    self.code = code
    self.keyword = keyword
    self.severity = severity
    self.title = title
    self.description = description
    self.message = message
    self.schemaLocations = schemaLocations
  }
}
