import Findings

/// A record's field, kept until the record ends.
struct Capture: BitwiseCopyable {
  enum Status: UInt8, BitwiseCopyable { case absent, null, scalar, container }

  var status = Status.absent
  var value = KeyValue.none
  var offset = 0
  /// The line, or 0 if it hasn't been looked up yet.
  var line = 0
  var column = 0
  /// The severity of the worst finding about the value itself.
  var fault: Severity?
}

extension Capture {
  /// - Parameter value: the scalar as a part of a key.
  init(_ scalar: Scalar, _ value: @autoclosure () -> KeyValue) {
    status = scalar.kind == .null ? .null : .scalar
    offset = scalar.offset
    if status == .scalar { self.value = value() }
  }
}
