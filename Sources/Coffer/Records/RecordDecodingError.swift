public import JSONEvents

/// A record that can't be decoded, and its place.
public struct RecordDecodingError: Error, CustomStringConvertible {
  /// The JSON Pointer of the value that didn't fit, by the coding path: `/expenses/17/amount`. Where a member is missing, it is the missing one's.
  public let pointer: String
  /// Where that value begins; of a missing one, where its object does. It is the record's own place where the coding path's names are not the document's
  /// (a decoder that converts snake case).
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
      "a value does not fit the type that it is decoded as"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context):
      context.debugDescription
    default: "\(underlying)"
    }
  }
}
