import ByteStreams

/// The text of a report, which goes to a sink in large pieces.
///
/// Memory: 64 KiB, and the text between two calls of `drain`.
struct ReportText {
  private static let pieceSize = 64 << 10

  private var bytes: [UInt8] = []
  private var drainedCount = 0

  /// The number of bytes so far.
  var count: Int { drainedCount + bytes.count }

  mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes the text to `sink` if it has at least 64 KiB.
  mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    if bytes.count >= Self.pieceSize { try flush(to: &sink) }
  }

  /// Writes the rest of the text to `sink`.
  mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    try sink.write(bytes)
    drainedCount += bytes.count
    bytes.removeAll(keepingCapacity: true)
  }
}
