import ByteStreams
import JSONEvents

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes records from their text, and reports the place of a record that can't be decoded.
struct RecordDecoding<Record: Decodable & Sendable>: Sendable {
  let decoder: JSONDecoder
  /// The collection's JSON Pointer.
  let pointer: String
  let limits: ReaderLimits

  func decode(_ bytes: UnsafeRawBufferPointer) throws -> Record {
    guard let start = bytes.baseAddress else { return try decoder.decode(Record.self, from: Data()) }
    return try decoder.decode(Record.self, from: Data(bytes: start, count: bytes.count))
  }

  // MARK: Errors

  /// Returns the error to throw for `error` in the record with this index.
  ///
  /// - Parameters:
  ///   - text: the record's text.
  ///   - position: the record's place in the document.
  ///   - places: the places of the record's values, if `text` isn't the document's own.
  func failure(
    _ error: any Error, ofRecord index: Int, text: [UInt8], at position: TextPosition, places: [TextPosition]? = nil
  ) -> CofferError {
    let names = Self.codingPath(of: error)
    let found = place(of: names, in: text, at: position)
    var place = found.position
    if let places, places.indices.contains(found.ordinal) { place = places[found.ordinal] }
    let value = ([pointer, String(index)] + names.map(\.pointerToken)).joined(separator: "/")
    return CofferError(
      .decoding, "a record can't be decoded: \(Self.reason(for: error))", at: .init(pointer: value, position: place),
      underlying: error)
  }

  private static func reason(for error: any Error) -> String {
    switch error {
    // The text is valid JSON, so the cause is a number that the type can't hold.
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty && context.underlyingError != nil:
      "a value does not fit its Swift type"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context):
      context.debugDescription
    default: "\(error)"
    }
  }

  private static func codingPath(of error: any Error) -> [String] {
    switch error {
    case DecodingError.keyNotFound(let key, let context): names(of: context.codingPath + [key])
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      names(of: context.codingPath)
    default: []
    }
  }

  private static func names(of path: [any CodingKey]) -> [String] {
    path.map { key in key.intValue.map(String.init) ?? key.stringValue }
  }

  /// Returns the place of the value at this path or at its longest existing prefix, and the number of values before it in the
  /// record.
  private func place(of names: [String], in text: [UInt8], at position: TextPosition) -> (position: TextPosition, ordinal: Int) {
    var found = (position: position, ordinal: 0)
    var ordinal = 0
    var path = PointerPath(names)
    var reader = JSONEventReader(MemorySource(text), limits: limits, at: position)
    // The text was read before, so this can't fail.
    while (try? reader.next()) == true {
      var lines = reader.lines
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        if let count = path.follow(event, of: reader.batch) {
          found = (lines.position(at: reader.batch.offset(of: event)), ordinal)
          if count == names.count { return found }
        }
        switch event.kind {
        case .key, .objectEnd, .arrayEnd: break
        default: ordinal += 1
        }
      }
    }
    return found
  }
}
