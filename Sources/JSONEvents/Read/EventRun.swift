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
