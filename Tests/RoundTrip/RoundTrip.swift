import ByteStreams
import JSONEvents

/// Checks that a document that is read, written and read again has the same events: strings by their characters, numbers by their
/// text.
///
/// A document is written by `JSONEventWriter`, which makes tokens from values, and by the formatters, which keep tokens
/// unchanged: compact, pretty, and sorted. Sorting twice must change nothing.
package enum RoundTrip {
  /// Returns what went wrong, or `nil` if the round trip succeeded or the document can't be read.
  package static func failure(of document: [UInt8]) -> String? {
    guard let events = Events(of: document) else { return nil }
    for layout in [JSONEventWriter.Layout.compact, .pretty(indent: 3)] {
      let written = events.written(layout)
      if Events(of: written)?.texts != events.texts {
        return "JSONEventWriter, \(layout): \(String(decoding: written, as: UTF8.self))"
      }
    }
    let compact = formatted(document, by: PlainFormatter(layout: .compact, at: .start))
    if Events(of: compact)?.texts != events.texts { return "compact: \(String(decoding: compact, as: UTF8.self))" }
    let pretty = formatted(document, by: PlainFormatter(layout: .pretty(indent: 2), at: .start))
    if formatted(pretty, by: PlainFormatter(layout: .compact, at: .start)) != compact { return "pretty, then compact" }
    let sorted = formatted(document, by: SortingFormatter(layout: .compact, at: .start, spillSize: 16))
    if Events(of: sorted)?.texts.sorted() != events.texts.sorted() { return "sorted: \(String(decoding: sorted, as: UTF8.self))" }
    let again = formatted(sorted, by: SortingFormatter(layout: .compact, at: .start))
    return again == sorted ? nil : "sorted twice: \(String(decoding: again, as: UTF8.self))"
  }

  /// Limits with the greatest depth that `JSONEventWriter` can write.
  fileprivate static var limits: ReaderLimits {
    var limits = ReaderLimits()
    limits.depth = 127
    // Small, so that batches end everywhere.
    limits.chunkSize = 64
    return limits
  }

  private static func formatted<F: EventFormatter & ~Copyable>(_ document: [UInt8], by formatter: consuming F) -> [UInt8] {
    var sink = MemorySink()
    var reader = JSONEventReader(MemorySource(document), limits: limits)
    do {
      while try reader.next() {
        try formatter.write(reader.batch, 0..<reader.batch.count)
        try formatter.drain(to: &sink)
      }
      try formatter.flush(to: &sink)
    } catch {
      return Array("\(error)".utf8)
    }
    return sink.bytes
  }
}

/// A document's events without their places.
private struct Events {
  private let document: [UInt8]
  private(set) var texts: [String] = []

  init?(of document: [UInt8]) {
    self.document = document
    do {
      try forEach { event, batch in
        let text =
          event.kind == .arrayStart || event.kind == .objectStart
          ? "" : String(decoding: batch.text(of: event).array, as: UTF8.self)
        texts.append("\(event.kind) \(text)")
      }
    } catch {
      return nil
    }
  }

  private func forEach(_ body: (Event, EventBatch) -> Void) throws {
    var reader = JSONEventReader(MemorySource(document), limits: RoundTrip.limits)
    while try reader.next() {
      for index in 0..<reader.batch.count { body(reader.batch[index], reader.batch) }
    }
  }

  func written(_ layout: JSONEventWriter.Layout) -> [UInt8] {
    var json = JSONEventWriter(layout: layout)
    var sink = MemorySink()
    do {
      var reader = JSONEventReader(MemorySource(document), limits: RoundTrip.limits)
      while try reader.next() {
        for index in 0..<reader.batch.count { json.write(reader.batch[index], in: reader.batch) }
      }
      try json.finish(to: &sink)
    } catch {
      return Array("\(error)".utf8)
    }
    return sink.bytes
  }
}
