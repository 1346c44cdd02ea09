import ByteStreams
import JSONEvents

/// A value that `$data` compares with, kept until its object (or the document) ends.
struct DataValue: Sendable {
  enum Kind: UInt8, Sendable { case absent, null, boolean, number, string, container }

  var kind = Kind.absent
  var text: [UInt8] = []
  /// The value of a number that is written as an integer of at most 18 digits.
  var integer: Int64?
  /// Its place, if that may be needed.
  var position: TextPosition?
}

extension DataValue {
  init(_ scalar: Scalar) { self.init(scalar.kind, scalar.text) }

  init(_ kind: ValueKind, _ text: ByteView) {
    switch kind {
    case .null: self.init(kind: .null)
    case .boolean: self.init(kind: .boolean, text: [text.count == 4 ? 1 : 0])
    case .number: self.init(kind: .number, text: text.array, integer: IntegerText.value(text))
    case .string: self.init(kind: .string, text: text.array)
    case .array, .object: self.init(kind: .container)
    }
  }

  /// Restores a value from its kind and text.
  init(_ kind: Kind, text: [UInt8]) {
    self.init(kind: kind, text: text)
    if kind == .number { integer = withText { IntegerText.value($0) } }
  }

  var decimal: ExactDecimal? { withText { ExactDecimal($0) } }

  func instant(_ format: StringFormat) -> Instant? { withText { format.instant($0) } }

  func withText<R>(_ body: (ByteView) -> R?) -> R? {
    text.withUnsafeBufferPointer { bytes in bytes.baseAddress.flatMap { body(ByteView($0, count: bytes.count)) } }
  }
}
