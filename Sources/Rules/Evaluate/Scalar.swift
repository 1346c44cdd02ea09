import JSONEvents

/// A scalar of the current batch, with what several checks want to know of it.
struct Scalar {
  let kind: ValueKind
  /// The value `true`; of a number: that it is spelled as an integer of at most 18 digits, which is `integer`.
  private let flag: Bool
  let text: ByteView
  /// From the document's start.
  let offset: Int
  let integer: Int64

  /// Of a number only; so is `isTrue` of a boolean.
  @inline(__always) var isInteger: Bool { flag }
  @inline(__always) var isTrue: Bool { flag }

  /// The scalar of an event, which must be one.
  @inline(__always)
  init(_ event: Event, _ batch: EventBatch) {
    if event.kind == .number {
      self.init(number: event, batch)
    } else {
      self.init(plain: event.kind == .string ? .string : event.kind == .null ? .null : .boolean, event, batch)
    }
  }

  @inline(__always)
  private init(plain kind: ValueKind, _ event: Event, _ batch: EventBatch) {
    self.kind = kind
    flag = event.kind == .true
    text = batch.text(of: event)
    offset = batch.offset(of: event)
    integer = 0
  }

  // Not inlined, so that the initializer above is small enough to be.
  @inline(never)
  private init(number event: Event, _ batch: EventBatch) {
    kind = .number
    text = batch.text(of: event)
    offset = batch.offset(of: event)
    let value: Int64?
    if text.count <= 8 {
      // A minus sign is no digit, so what has one takes the other way.
      value = IntegerText.digits(text.leadingWordOfPadded, count: text.count) ?? IntegerText.value(text)
    } else {
      value = IntegerText.value(text)
    }
    flag = value != nil
    integer = value ?? 0
  }

  /// One that was put by in this batch.
  init(_ kind: ValueKind, text: ByteView, offset: Int) {
    self.kind = kind
    flag = false
    self.text = text
    self.offset = offset
    integer = 0
  }
}
