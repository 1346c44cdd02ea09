import JSONEvents

/// One thread's part of writing the merged document: formats a slice's records, and returns where each ends in the text.
struct MergeFormatting: SliceWorker {
  enum Partial: Sendable {
    /// Well-formed records that are not written.
    case nothing
    case text(FormattedRecords)
  }

  let layout: FormatLayout
  let depth: Int
  let formattedDepth: Int?
  let limits: ReaderLimits

  /// Returns the formatted slice, or `nil` if the text is disproportionately larger than the slice, which is then
  /// formatted as part of the envelope.
  func work(on slice: Slice, workerContext: Void) -> Partial? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    guard let formattedDepth else {
      while reader.next() {}
      return reader.hasFailed ? nil : .nothing
    }
    var formatter = PlainFormatter(
      layout: layout, at: FormatPlace(depth: formattedDepth, isAfterItem: slice.firstIndex > 0 && formattedDepth > 0))
    var records: [FormattedRecords.Record] = []
    records.reserveCapacity(slice.recordCount)
    var innerDepth = 0
    while reader.next() {
      let batch = reader.batch
      var start = 0
      for index in 0..<batch.count {
        let event = batch[index]
        switch event.kind {
        case .objectStart, .arrayStart:
          if innerDepth == 0 { records.append(.init(offset: batch.offset(of: event))) }
          innerDepth += 1
        case .objectEnd, .arrayEnd: innerDepth -= 1
        case .key: continue
        default: if innerDepth == 0 { records.append(.init(offset: batch.offset(of: event))) }
        }
        guard innerDepth == 0 else { continue }
        formatter.write(batch, start..<index + 1)
        records[records.count - 1].end = formatter.byteCount
        start = index + 1
      }
      formatter.write(batch, start..<batch.count)
      if formatter.byteCount > max(4 << 20, 4 * slice.byteCount) { return nil }
    }
    return reader.hasFailed ? nil : .text(FormattedRecords(formatter.takeText(), records))
  }
}

/// Formatted records, one after another.
final class FormattedRecords: Sendable {
  struct Record: BitwiseCopyable {
    /// The start in the document.
    let offset: Int
    /// The end of its text, which begins with the separator from the previous one.
    var end = 0
  }

  let text: OutputBuffer
  let records: [Record]

  init(_ text: consuming OutputBuffer, _ records: [Record]) {
    self.text = text
    self.records = records
  }
}
