public import CJSONEvents

/// A run of events and the bytes to which they refer; valid until the reader's next call. ``EventRun`` lends it to users of the
/// library.
///
/// It is public only because the functions of public types are inlined into other modules (a fifth of a validation's instructions).
/// Nothing public returns one.
///
///     buffer    { "id" : 7 , …        an event is 16 bytes: the start of its token, the start and length of its text, its kind
///     events    objectStart · key(id) · number(7) · …
@_documentation(visibility: internal)
@frozen
public struct EventBatch {
  /// The document offset to which `start` and `text` of the events are relative.
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

  /// The event at `index`, which must be in the batch.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Event {
    guard let events, index >= 0, index < count else { preconditionFailure("index outside the batch") }
    return Event(events[index])
  }

  /// Returns the key at `index` and the kind of the scalar after it; or `nil`, if the events there are others.
  @inlinable @inline(__always)
  package func scalarMember(at index: Int) -> (key: Event, kind: EventKind)? {
    guard let events, index >= 0, index < count &- 1, events[index].kind == EventKind.key.rawValue,
      events[index &+ 1].kind <= EventKind.string.rawValue
    else { return nil }
    return (Event(events[index]), Event(events[index &+ 1]).kind)
  }

  /// Returns the first `count` events; the batch must have at least as many.
  public func prefix(_ count: Int) -> EventBatch {
    precondition(count >= 0 && count <= self.count, "exceeds the count")
    var prefix = self
    prefix.count = count
    return prefix
  }

  /// Returns the index of the first duplicate key from `index`, or `count`.
  @inlinable
  public func firstDuplicateKey(from index: Int) -> Int {
    guard hasDuplicateKeys else { return count }
    var index = index
    while index < count, !self[index].isDuplicateKey { index += 1 }
    return index
  }

  /// Returns the content of a string or key with escapes resolved, or the digits of a number.
  @inlinable @inline(__always)
  public func text(of event: Event) -> ByteView {
    let record = event.record
    if record.flags & UInt8(COFFER_IN_SCRATCH) != 0, let scratch {
      return ByteView(scratch + Int(record.text), count: Int(record.length))
    }
    return ByteView(buffer + Int(record.text), count: Int(record.length))
  }

  /// Returns the event's token as written in the document, including a string's quotes and escapes. It is followed by 16 readable
  /// bytes of any content.
  @inlinable @inline(__always)
  package func token(of event: Event) -> ByteView {
    let record = event.record
    let start = buffer + Int(record.start)
    guard event.kind == .string || event.kind == .key else { return ByteView(start, count: Int(record.length)) }
    if record.flags & UInt8(COFFER_IN_SCRATCH) != 0 { return Self.escapedString(at: start) }
    return ByteView(start, count: Int(record.length) + 2)
  }

  /// Returns the string that begins at `start`; whatever read it, yajl or the lane, has verified that it ends.
  @usableFromInline
  static func escapedString(at start: UnsafePointer<UInt8>) -> ByteView {
    var length = 1
    while start[length] != UInt8(ascii: "\"") { length += start[length] == UInt8(ascii: "\\") ? 2 : 1 }
    return ByteView(start, count: length + 1)
  }

  /// Returns the document offset of the event's token.
  @inlinable @inline(__always)
  public func offset(of event: Event) -> Int { base + Int(event.record.start) }
}

/// One event of a document: a bracket, a key or a scalar.
@_documentation(visibility: internal)
@frozen
public struct Event: BitwiseCopyable {
  @usableFromInline let record: coffer_event

  @inlinable @inline(__always)
  init(_ record: coffer_event) { self.record = record }

  public typealias Kind = EventKind

  /// The event's kind.
  @inlinable @inline(__always)
  public var kind: Kind {
    precondition(record.kind <= Kind.key.rawValue, "no such event")
    // `Kind(rawValue:)` would be a call with a table look-up. The raw values are the numbers from 0, which a test verifies.
    return unsafeBitCast(record.kind, to: Kind.self)
  }

  /// True for a key that its object already had. Only set if the reader compares keys.
  @inlinable @inline(__always)
  public var isDuplicateKey: Bool { record.flags & UInt8(COFFER_DUPLICATE_KEY) != 0 }
}

/// The events of a part of a document, lent to their reader.
///
/// The bytes belong to a buffer that is used again. A run therefore can't be copied or kept, texts are copied when they are
/// requested, and ``withText(at:_:)`` lends one as a span.
public struct EventRun: ~Copyable {
  package let batch: EventBatch

  package init(_ batch: EventBatch) { self.batch = batch }

  /// The number of events.
  public var count: Int { batch.count }

  /// Returns the kind of the event at `index`, which must be less than ``count``.
  public func kind(at index: Int) -> EventKind { batch[index].kind }

  /// Returns the content of a string or key with escapes resolved, the digits of a number, or an empty string for any other event.
  public func text(at index: Int) -> String {
    let event = batch[index]
    return event.kind.hasText ? batch.text(of: event).string : ""
  }

  /// Runs `body` on the UTF-8 of an event's text, without a copy.
  public func withText<R, Failure: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> R
  ) throws(Failure) -> R {
    let event = batch[index]
    guard event.kind.hasText else { return try body(UnsafeBufferPointer<UInt8>(start: nil, count: 0).span) }
    let text = batch.text(of: event)
    return try body(UnsafeBufferPointer(start: text.base, count: text.count).span)
  }

  /// Returns the document offset of the event's token.
  public func offset(at index: Int) -> Int { batch.offset(of: batch[index]) }
}

/// The kinds of events of a document: a bracket, a key or a scalar.
@frozen
public enum EventKind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case null, `false`, `true`, number, string, arrayStart, objectStart, arrayEnd, objectEnd, key

  fileprivate var hasText: Bool { self == .string || self == .key || self == .number }
}
