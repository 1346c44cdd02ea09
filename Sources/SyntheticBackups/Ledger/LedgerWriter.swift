public import ByteStreams
import JSONEvents

/// Writes a ledger as JSON Lines, an entry a line, in the order of the document.
///
/// For example:
///
///     {"code":"foreign-key","pointer":"/expenses/1204/carId","value":"99"}
///     {"code":"required","pointer":"/ideas/3/title"}
public struct LedgerWriter: ~Copyable {
  private var json = JSONEventWriter()

  public init() {}

  /// Writes one line; it reaches the sink with the next large piece.
  public mutating func append(_ entry: LedgerEntry, to sink: inout some ByteSink) throws(ByteStreamError) {
    entry.write(to: &json)
    try json.drain(to: &sink)
  }

  /// Hands over the last lines.
  public mutating func finish(to sink: inout some ByteSink) throws(ByteStreamError) {
    try json.flush(to: &sink)
  }
}
