public import JSONEvents

/// A record that can't be decoded, and its place.
public struct RecordDecodingError: Error, CustomStringConvertible {
  /// The JSON Pointer of the value that didn't fit, or of the missing member, from the coding path: `/expenses/17/amount`.
  public let pointer: String
  /// The start of that value; for a missing one, of its object. If the coding path's names differ from the document's (a decoder
  /// that converts snake case), the start of the record.
  public let position: TextPosition
  /// The decoder's error: a `DecodingError`, or an error of the record's own `init(from:)`.
  public let underlying: any Error

  public init(pointer: String, position: TextPosition, underlying: any Error) {
    self.pointer = pointer
    self.position = position
    self.underlying = underlying
  }

  public var description: String {
    "\(pointer) cannot be decoded: \(reason) at line \(position.line), column \(position.column) (byte \(position.offset))"
  }

  private var reason: String {
    switch underlying {
    // The text is valid JSON, so the cause is a number that the type can't hold.
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty && context.underlyingError != nil:
      "a value does not fit its Swift type"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context):
      context.debugDescription
    default: "\(underlying)"
    }
  }
}
