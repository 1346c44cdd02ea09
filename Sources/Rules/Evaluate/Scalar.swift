import JSONEvents

/// A scalar of the current batch, with what several checks want to know of it.
struct Scalar {
  let kind: ValueKind
  let event: Event
  let text: ByteView
  /// From the document's start.
  let offset: Int
  /// Of a number: whether it is spelled as an integer of at most 18 digits, and that integer.
  let isInteger: Bool
  let integer: Int64

  @inline(__always)
  init(_ kind: ValueKind, _ event: Event, _ batch: EventBatch) {
    self.kind = kind
    self.event = event
    text = batch.text(of: event)
    offset = batch.offset(of: event)
    isInteger = false
    integer = 0
  }

  @inline(__always)
  init(number event: Event, _ batch: EventBatch) {
    kind = .number
    self.event = event
    text = batch.text(of: event)
    offset = batch.offset(of: event)
    let value: Int64?
    if text.count <= 8 {
      // A minus sign is no digit, so what has one takes the other way.
      value = IntegerText.digits(text.leadingWordOfPadded, count: text.count) ?? IntegerText.value(text)
    } else {
      value = IntegerText.value(text)
    }
    isInteger = value != nil
    integer = value ?? 0
  }
}
