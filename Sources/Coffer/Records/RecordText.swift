import JSONEvents

/// The text of one record that is read as envelope, reassembled from its events: when the record is complete, its bytes may have
/// left the reader's buffer.
///
/// The tokens are the document's own, but without white space between them, so the values' places are kept separately.
struct RecordText: ~Copyable {
  private var formatter = PlainFormatter(layout: .compact, at: .start)
  /// The places of the record's values in the document, in order.
  private(set) var places: [TextPosition] = []

  var bytes: [UInt8] { formatter.bytes }

  /// The start of the record.
  var start: TextPosition { places.first ?? TextPosition(offset: 0, line: 1, column: 1) }

  mutating func clear() {
    formatter = PlainFormatter(layout: .compact, at: .start)
    places.removeAll(keepingCapacity: true)
  }

  /// Takes the event at `index`, which begins at `place`.
  mutating func append(_ index: Int, of batch: EventBatch, at place: TextPosition) {
    formatter.write(batch, index..<index + 1)
    switch batch[index].kind {
    case .key, .objectEnd, .arrayEnd: break
    case .null, .false, .true, .number, .string, .objectStart, .arrayStart: places.append(place)
    }
  }
}
