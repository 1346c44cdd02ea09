import ByteStreams
import Findings
import JSONEvents

/// A value that `$data` compares with, kept until its object (or the document) ends.
struct DataValue: Sendable {
  enum Kind: UInt8, Sendable { case absent, null, boolean, number, string, container }

  var kind = Kind.absent
  var text: [UInt8] = []
  /// The value of a number that is written as an integer of at most 18 digits.
  var integer: Int64?
  /// True for a decimal string, which is compared like a number.
  var isDecimal = false
  /// The offset of a value that others are compared with.
  var offset = -1
  /// The severity of the worst finding about that value itself.
  var fault: Severity?
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

  /// True for a number, and for a decimal string.
  var isNumber: Bool { kind == .number || isDecimal }

  /// The value of a number, or of a string that spells one.
  var decimal: ExactDecimal? { kind == .number || kind == .string ? withText { ExactDecimal($0) } : nil }

  func instant(_ format: StringFormat) -> Instant? { withText { format.instant($0) } }

  /// Returns what the value is, in words.
  func description(redacts: Bool) -> String {
    switch kind {
    case .absent, .null: "null"
    case .boolean: redacts ? "a boolean" : text == [1] ? "true" : "false"
    case .number: redacts ? "a number" : withText { RuleEvaluator.excerpt(of: $0) } ?? ""
    case .string: redacts ? "a string" : "'\(withText { RuleEvaluator.excerpt(of: $0) } ?? "")'"
    case .container: "an array or object"
    }
  }

  /// Returns what the value is, and why it can't be compared.
  ///
  /// - Parameter format: the format of the values that it could be compared with, or `nil` for numbers.
  func description(whyNot format: StringFormat?, redacts: Bool) -> String {
    let found = description(redacts: redacts)
    if let format { return "\(found), not \(format.noun)" }
    return "\(found), " + (decimal == nil ? "not a number" : "without the format decimal")
  }

  func withText<R>(_ body: (ByteView) -> R?) -> R? {
    text.withUnsafeBufferPointer { bytes in bytes.baseAddress.flatMap { body(ByteView($0, count: bytes.count)) } }
  }
}
