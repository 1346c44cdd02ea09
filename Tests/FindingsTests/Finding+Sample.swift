import ByteStreams
import Findings

extension Finding {
  /// Creates a finding at `offset`; its pointer and rule distinguish it from others there.
  init(
    at offset: Int, _ pointer: String = "/a", rule: String = "/r", code: String = "type", severity: Severity = .error
  ) {
    self.init(
      code: code, keyword: code, severity: severity, message: "wrong",
      place: Place(pointer: pointer, at: TextPosition(offset: offset, line: 1, column: offset + 1)), schemaLocation: rule)
  }
}
