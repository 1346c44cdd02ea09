package import JSONEvents

/// A scalar of the current batch, with properties that several checks need.
struct Scalar {
  let kind: JSONKind
  /// The value of a boolean. For a number, true if it is spelled as an integer of at most 18 digits, which is `integer`.
  private let flag: Bool
  let text: ByteView
  /// The offset from the document's start.
  let offset: Int
  let integer: Int64

  /// `isInteger` is valid only for numbers, `isTrue` only for booleans.
  @inline(__always) var isInteger: Bool { flag }
  @inline(__always) var isTrue: Bool { flag }

  /// Creates the scalar of an event, which must be one.
  @inline(__always)
  init(_ event: Event, _ batch: EventBatch) {
    if event.kind == .number {
      self.init(number: event, batch)
    } else {
      self.init(plain: event.kind == .string ? .string : event.kind == .null ? .null : .boolean, event, batch)
    }
  }

  @inline(__always)
  private init(plain kind: JSONKind, _ event: Event, _ batch: EventBatch) {
    self.kind = kind
    flag = event.kind == .true
    text = batch.text(of: event)
    offset = batch.offset(of: event)
    integer = 0
  }

  // This is not inlined, so that the initializer above is small enough for inlining.
  @inline(never)
  private init(number event: Event, _ batch: EventBatch) {
    kind = .number
    text = batch.text(of: event)
    offset = batch.offset(of: event)
    let value: Int64?
    if text.count <= 8 {
      // A minus sign isn't a digit, so negative numbers take the second path.
      value = IntegerText.digits(text.leadingWordOfPadded, count: text.count) ?? IntegerText.value(text)
    } else {
      value = IntegerText.value(text)
    }
    flag = value != nil
    integer = value ?? 0
  }

  /// True for a string that spells a number, whatever its format.
  var isDecimalText: Bool { kind == .string && DecimalText(text) != nil }

  /// Restores a scalar that was stored during this batch.
  init(_ kind: JSONKind, text: ByteView, offset: Int) {
    self.kind = kind
    flag = false
    self.text = text
    self.offset = offset
    integer = 0
  }
}

extension JSONKind {
  /// The types are in the same order.
  package var type: TypeSet { TypeSet(rawValue: 1 << UInt8(rawValue)) }
}

/// The types that a value may have.
package struct TypeSet: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let null = TypeSet(rawValue: 1)
  package static let boolean = TypeSet(rawValue: 2)
  package static let number = TypeSet(rawValue: 4)
  package static let string = TypeSet(rawValue: 8)
  package static let array = TypeSet(rawValue: 16)
  package static let object = TypeSet(rawValue: 32)
  package static let integer = TypeSet(rawValue: 64)
  /// Those of collections: an array of records, or an object of records.
  package static let collection: TypeSet = [.array, .object]

  /// Returns the types that both sets allow. An integer is a number.
  package func meet(_ other: TypeSet) -> TypeSet {
    func withIntegers(_ types: TypeSet) -> TypeSet { types.contains(.number) ? types.union(.integer) : types }
    let both = withIntegers(self).intersection(withIntegers(other))
    return both.contains(.number) ? both.subtracting(.integer) : both
  }

  package static let names: [(name: String, type: TypeSet)] = [
    ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string), ("array", .array),
    ("object", .object),
  ]

  package var description: String {
    Self.names.filter { contains($0.type) }.map(\.name).joined(separator: " or ")
  }
}
