import Findings

extension Finding {
  /// A finding at `offset`, told from others there by its pointer and rule.
  init(
    at offset: Int, _ pointer: String = "/a", rule: String = "/r", code: String = "type", severity: Severity = .error
  ) {
    self.init(
      code: code, keyword: code, severity: severity, message: "wrong",
      place: Place(pointer: pointer, line: 1, column: offset + 1, offset: offset), schemaLocation: rule)
  }
}
