import JSONEvents

/// One planted defect: the finding that a validator must report for it, and nothing else.
public struct LedgerEntry: Sendable, Hashable {
  /// The finding's code: `foreign-key`.
  public let code: String
  /// The finding's place as a JSON Pointer: `/expenses/1204/carId`. For a missing member, the pointer that it would have.
  public let pointer: String
  /// The archive's entry that the finding is about, if it is about none of the document's values; the pointer is empty then.
  public let entry: String?
  /// The offending value: a string's text, or the token of any other value; `nil` for a missing member.
  public let value: String?

  init(code: String, pointer: String, entry: String? = nil, value: String?) {
    self.code = code
    self.pointer = pointer
    self.entry = entry
    self.value = value
  }

  func write(to json: inout JSONEventWriter) {
    json.beginObject()
    json.key("code")
    json.string(code)
    if let entry {
      json.key("entry")
      json.string(entry)
    } else {
      json.key("pointer")
      json.string(pointer)
    }
    if let value {
      json.key("value")
      json.string(value)
    }
    json.endObject()
    json.endLine()
  }
}
