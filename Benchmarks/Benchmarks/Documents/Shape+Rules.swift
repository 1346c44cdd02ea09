import Coffer

extension Shape {
  /// Rules that check every value of a document of this shape.
  func rules() throws -> RuleSource {
    switch self {
    case .pretty, .compact:
      guard let format = FormatCatalog.builtIn["ev-charging-tracker"] else {
        preconditionFailure("the format ships with Coffer")
      }
      return .format(format)
    case .strings:
      return try Self.rules(
        """
        {"items": {"type": "object", "required": ["title", "text"], "additionalProperties": false, "properties": {
          "title": {"type": "string", "pattern": "^record [0-9]+$"}, "text": {"type": "string", "minLength": 1, "maxLength": 1000}}}}
        """)
    case .numbers:
      return try Self.rules(
        """
        {"items": {"type": "array", "minItems": 6, "maxItems": 6, "items": {"type": "number", "minimum": -1e300, "maximum": 1e300}}}
        """)
    case .depth:
      return try Self.rules(
        """
        {"items": {"$ref": "#/$defs/floor"}, "$defs": {"floor": {
          "type": ["object", "integer"], "required": ["child"], "properties": {"child": {"$ref": "#/$defs/floor"}}, "additionalProperties": false}}}
        """)
    case .hugeRecord:
      return try Self.rules(
        """
        {"items": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 999}}}
        """)
    }
  }

  private static func rules(_ text: String) throws -> RuleSource {
    .document(try RuleDocument(MemorySource(text.utf8)), name: "rules")
  }
}
