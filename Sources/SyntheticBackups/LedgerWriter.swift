public import ByteStreams
import JSONEvents

/// One planted defect: the only finding that a validator must report for it.
public struct LedgerEntry: Sendable, Hashable {
  /// The finding's code: `foreign-key`.
  public let code: String
  /// The finding's place as a JSON Pointer: `/expenses/1204/carId`. For a missing member, the pointer it would have.
  public let pointer: String
  /// The archive entry that the finding is about, if it isn't about a value of the document; the pointer is then empty.
  public let entry: String?
  /// The offending value: a string's content, or any other value's token, or `nil` for a missing member.
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

/// Writes a ledger as JSON Lines, one entry per line, in document order.
///
/// For example:
///
///     {"code":"foreign-key","pointer":"/expenses/1204/carId","value":"99"}
///     {"code":"required","pointer":"/ideas/3/title"}
public struct LedgerWriter: ~Copyable {
  private var json = JSONEventWriter()

  public init() {}

  /// Writes one line. It reaches the sink with the next full chunk.
  public mutating func append(_ entry: LedgerEntry, to sink: inout some ByteSink) throws(CofferError) {
    entry.write(to: &json)
    try json.drain(to: &sink)
  }

  /// Writes the buffered lines to the sink.
  public mutating func finish(to sink: inout some ByteSink) throws(CofferError) {
    try json.flush(to: &sink)
  }
}
