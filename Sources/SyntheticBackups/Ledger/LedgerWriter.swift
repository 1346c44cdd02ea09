public import ByteStreams
import JSONEvents

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
