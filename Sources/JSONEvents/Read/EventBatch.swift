package import CYajlEvents

/// A run of events and the bytes they point into; valid until the reader goes on.
///
///     buffer    { "id" : 7 , …        an event is 16 bytes: where its token starts, where its text is, how long it is, its kind
///     events    objectStart · key(id) · number(7) · …
package struct EventBatch {
  /// What `start` and `text` of the events count from, as an offset in the document.
  package let base: Int
  @usableFromInline let events: UnsafePointer<coffer_event>?
  package let count: Int
  @usableFromInline let buffer: UnsafePointer<UInt8>
  @usableFromInline let scratch: UnsafePointer<UInt8>?

  init(base: Int, buffer: UnsafePointer<UInt8>, batch: coffer_batch) {
    self.base = base
    self.buffer = buffer
    events = UnsafePointer(batch.events)
    count = batch.count
    scratch = batch.scratch
  }

  @inlinable
  package subscript(index: Int) -> Event {
    guard let events, index >= 0, index < count else { preconditionFailure("index outside the batch") }
    return Event(events[index])
  }

  /// A string's or key's content, its escapes resolved, or a number's digits.
  @inlinable
  package func text(of event: Event) -> ByteView {
    let record = event.record
    if record.flags & UInt8(COFFER_IN_SCRATCH) != 0, let scratch {
      return ByteView(scratch + Int(record.text), count: Int(record.length))
    }
    return ByteView(buffer + Int(record.text), count: Int(record.length))
  }

  /// Where the event's token begins, from the document's start.
  @inlinable
  package func offset(of event: Event) -> Int { base + Int(event.record.start) }
}

/// One event of a document: a bracket, a key or a scalar.
package struct Event {
  @usableFromInline let record: coffer_event

  @inlinable
  init(_ record: coffer_event) { self.record = record }

  package enum Kind: UInt8, Sendable {
    case null, `false`, `true`, number, string, arrayStart, objectStart, arrayEnd, objectEnd, key
  }

  @inlinable
  package var kind: Kind {
    guard let kind = Kind(rawValue: record.kind) else { preconditionFailure("no such event") }
    return kind
  }
}
