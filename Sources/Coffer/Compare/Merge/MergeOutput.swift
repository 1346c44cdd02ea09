import ByteStreams
import JSONEvents

/// The output of a merge: the formatter, and the sink for its text.
struct MergeOutput<Sink: ByteSink>: ~Copyable {
  private var formatter: PlainFormatter
  private var output: CompressibleOutput<Sink>

  init(_ layout: FormatLayout, to output: CompressibleOutput<Sink>) {
    formatter = PlainFormatter(layout: layout, at: .start)
    self.output = output
  }

  var sink: Sink { output.sink }

  mutating func write(_ batch: EventBatch, _ range: Range<Int>) throws(CofferError) {
    formatter.write(batch, range)
    try formatter.drain(to: &output)
  }

  /// Writes a number in place of the document's.
  mutating func write(_ number: Int) throws {
    var reader = JSONEventReader(MemorySource(String(number).utf8))
    while try reader.next() { formatter.write(reader.batch, 0..<reader.batch.count) }
  }

  /// Writes formatted items and the text between them.
  mutating func write(_ items: UnsafeRawBufferPointer) throws(CofferError) {
    if items.isEmpty { return }
    try formatter.flush(to: &output)
    try output.write(items)
    formatter.skipItems()
  }

  mutating func finish() throws(CofferError) {
    try formatter.flush(to: &output)
    try output.finish()
  }
}
