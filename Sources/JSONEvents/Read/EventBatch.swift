public import CJSONEvents

/// A run of events and the bytes they point into; valid until the reader goes on.
///
///     buffer    { "id" : 7 , …        an event is 16 bytes: where its token starts, where its text is, how long it is, its kind
///     events    objectStart · key(id) · number(7) · …
@frozen
public struct EventBatch {
  /// What `start` and `text` of the events count from, as an offset in the document.
  public let base: Int
  @usableFromInline let events: UnsafePointer<coffer_event>?
  /// The number of events.
  public private(set) var count: Int
  @usableFromInline let buffer: UnsafePointer<UInt8>
  @usableFromInline let scratch: UnsafePointer<UInt8>?
  @usableFromInline let hasDuplicateKeys: Bool

  init(base: Int, buffer: UnsafePointer<UInt8>, batch: coffer_batch) {
    self.base = base
    self.buffer = buffer
    events = UnsafePointer(batch.events)
    count = batch.count
    scratch = batch.scratch
    hasDuplicateKeys = batch.duplicate_keys > 0
  }

  /// The event at `index`, which must lie in the batch.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Event {
    guard let events, index >= 0, index < count else { preconditionFailure("index outside the batch") }
    return Event(events[index])
  }

  /// The first `count` events, of which there must be as many.
  public func prefix(_ count: Int) -> EventBatch {
    precondition(count >= 0 && count <= self.count, "more than there is")
    var prefix = self
    prefix.count = count
    return prefix
  }

  /// The first event from `index` on that is a duplicate key, or `count`.
  @inlinable
  public func firstDuplicateKey(from index: Int) -> Int {
    guard hasDuplicateKeys else { return count }
    var index = index
    while index < count, !self[index].isDuplicateKey { index += 1 }
    return index
  }

  /// A string's or key's content, its escapes resolved, or a number's digits.
  @inlinable @inline(__always)
  public func text(of event: Event) -> ByteView {
    let record = event.record
    if record.flags & UInt8(COFFER_IN_SCRATCH) != 0, let scratch {
      return ByteView(scratch + Int(record.text), count: Int(record.length))
    }
    return ByteView(buffer + Int(record.text), count: Int(record.length))
  }

  /// The event's token as the document spells it, a string's quotes and escapes included. 16 readable bytes follow it, whatever they hold.
  @inlinable @inline(__always)
  package func token(of event: Event) -> ByteView {
    let record = event.record
    let start = buffer + Int(record.start)
    guard event.kind == .string || event.kind == .key else { return ByteView(start, count: Int(record.length)) }
    if record.flags & UInt8(COFFER_IN_SCRATCH) != 0 { return Self.escapedString(at: start) }
    return ByteView(start, count: Int(record.length) + 2)
  }

  /// The string that begins at `start`, whose end yajl has seen.
  @usableFromInline
  static func escapedString(at start: UnsafePointer<UInt8>) -> ByteView {
    var length = 1
    while start[length] != UInt8(ascii: "\"") { length += start[length] == UInt8(ascii: "\\") ? 2 : 1 }
    return ByteView(start, count: length + 1)
  }

  /// Where the event's token begins, from the document's start.
  @inlinable @inline(__always)
  public func offset(of event: Event) -> Int { base + Int(event.record.start) }
}

/// One event of a document: a bracket, a key or a scalar.
@frozen
public struct Event: BitwiseCopyable {
  @usableFromInline let record: coffer_event

  @inlinable @inline(__always)
  init(_ record: coffer_event) { self.record = record }

  @frozen
  public enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case null, `false`, `true`, number, string, arrayStart, objectStart, arrayEnd, objectEnd, key
  }

  /// What the event is.
  @inlinable @inline(__always)
  public var kind: Kind {
    precondition(record.kind <= Kind.key.rawValue, "no such event")
    // `Kind(rawValue:)` is a call, and a table looked up; the cases are the bytes from 0 on, which a test proves.
    return unsafeBitCast(record.kind, to: Kind.self)
  }

  /// A key that has come in its object before. Nothing is said of it unless the reader was asked to compare keys.
  @inlinable @inline(__always)
  public var isDuplicateKey: Bool { record.flags & UInt8(COFFER_DUPLICATE_KEY) != 0 }
}
