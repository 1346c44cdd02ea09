import Foundation

extension Encodable {
  /// The value as JSON in one line, with sorted members: the same value gives the same bytes. Only for numbers, strings, and what is made
  /// of them.
  package var sortedJSON: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(self) else { preconditionFailure("numbers and strings can be encoded") }
    return Array(json)
  }
}
