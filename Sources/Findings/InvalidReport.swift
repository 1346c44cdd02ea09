/// A fault in a report that is read again: a value of the right type that can't be true.
package struct InvalidReport: Error {
  package let message: String
}

extension DecodingError {
  /// An error with the cause `InvalidReport`, which distinguishes its message from the decoder's own.
  static func invalid(_ message: String, at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: message, underlyingError: InvalidReport(message: message)))
  }
}
