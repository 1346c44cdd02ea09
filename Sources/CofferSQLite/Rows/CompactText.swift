import JSONEvents

/// Joins the tokens of a value without whitespace.
struct CompactText {
  private var needsComma = false

  /// - Parameter event: the value's next event, or the name of a member before its value.
  mutating func append(_ event: Event, of batch: EventBatch, to text: inout [UInt8]) {
    let isEnd = event.kind == .objectEnd || event.kind == .arrayEnd
    if needsComma, !isEnd { text.append(UInt8(ascii: ",")) }
    batch.token(of: event).withUnsafeBytes { text.append(contentsOf: $0) }
    if event.kind == .key { text.append(UInt8(ascii: ":")) }
    needsComma = event.kind != .key && event.kind != .objectStart && event.kind != .arrayStart
  }
}
