package import ByteStreams
package import SystemPackage

/// Formats events in the document's order.
///
/// Time: a copy of each token. Memory: the text of a batch.
package struct PlainFormatter: EventFormatter, ~Copyable {
  var text: LayoutText

  package init(layout: FormatLayout, at place: FormatPlace) { text = LayoutText(layout, at: place) }

  package init(layout: FormatLayout, at place: FormatPlace, temporaryFolder: FilePath) { self.init(layout: layout, at: place) }

  package mutating func write(_ batch: EventBatch, _ range: Range<Int>) {
    for index in range {
      let event = batch[index]
      let token = batch.token(of: event)
      text.reserve(token)
      switch event.kind {
      case .objectEnd, .arrayEnd: text.putClosing(token)
      case .key:
        if text.isAfterItem { text.putComma() }
        text.putKey(token)
      case .objectStart, .arrayStart: text.putOpening(token)
      case .null, .false, .true, .number, .string: text.putScalar(token)
      }
    }
  }

  package mutating func append(_ items: borrowing OutputBuffer, to sink: inout some ByteSink) throws(CofferError) {
    try flush(to: &sink)
    try sink.write(items.bytes)
    skipItems()
  }

  package static var takesFormattedItems: Bool { true }

  package mutating func skipItems() { text.skipItems() }

  package mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    // Smaller pieces cost a system call each, larger ones only memory.
    if byteCount >= 64 << 10 { try flush(to: &sink) }
  }

  package mutating func flush(to sink: inout some ByteSink) throws(CofferError) { try text.buffer.flush(to: &sink) }

  package var byteCount: Int { text.buffer.count }

  /// A copy of the text not yet written to a sink.
  package var bytes: [UInt8] { Array(text.buffer.bytes) }

  package consuming func takeText() -> OutputBuffer { text.buffer }
}
