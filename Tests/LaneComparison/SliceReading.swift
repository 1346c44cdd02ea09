package import JSONEvents

/// The complete result of reading a slice.
package struct SliceReading: Equatable {
  /// For each event: its token's place, its kind and whether it is a duplicate key, and its text's length.
  private var events: [UInt64] = []
  private var texts: [UInt8] = []
  /// True if the slice is neither a run of whole values nor a sequence of one-value lines.
  package private(set) var isRefused = false

  package init(_ slice: Slice, by parser: SliceParser, limits: ReaderLimits = ReaderLimits(), comparesKeys: Bool = true) {
    let keys = comparesKeys ? KeyComparison(low: 1, high: 2) : nil
    var reader = SliceReader(slice, depth: 1, limits: limits, keys: keys, parser: parser)
    while reader.next() { note(reader.batch) }
    if reader.hasFailed {
      self.events = []
      self.texts = []
      isRefused = true
    }
  }

  private mutating func note(_ batch: EventBatch) {
    for index in 0..<batch.count {
      let event = batch[index]
      let (text, token) = (batch.text(of: event), batch.token(of: event))
      events.append(UInt64(batch.offset(of: event)))
      events.append(UInt64(event.kind.rawValue) | (event.isDuplicateKey ? 1 << 8 : 0) | UInt64(token.count) << 16)
      events.append(UInt64(text.count))
      text.withUnsafeBytes { texts += $0 }
    }
  }

  /// Returns the names of this machine's parsers whose results differ from those of yajl.
  package static func parsersThatDiffer(
    on records: some Collection<UInt8>, syntax: JSONSyntax, limits: ReaderLimits = ReaderLimits(), comparesKeys: Bool = true
  ) -> (names: [String], isRefused: Bool) {
    let slice = Slice(of: records, syntax: syntax)
    let right = SliceReading(slice, by: .yajl, limits: limits, comparesKeys: comparesKeys)
    let others = SliceParser.allCases.filter { $0 != .yajl && $0 != .lane && $0.isSupported }
    let wrong = others.filter { SliceReading(slice, by: $0, limits: limits, comparesKeys: comparesKeys) != right }
    return (wrong.map(\.rawValue), right.isRefused)
  }
}
