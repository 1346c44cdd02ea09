import ByteStreams
import JSONEvents

/// The result of reading a document with Foundation's `JSONSerialization` and with this project's reader: validity and values.
///
/// Strings are compared by their bytes (without U+FEFF, which Foundation drops), numbers as `Double` (`-0` is Foundation's
/// integer 0), members by their keys: Foundation keeps one of several canonically equivalent keys, which are equal as `String`;
/// its value is not compared. Intended differences are exempt.
package enum FoundationComparison: Equatable {
  /// Both refuse the document, or both give the same values.
  case same
  case exempt(Exemption)
  case different(String)

  package enum Exemption: Sendable {
    /// Foundation reads UTF-16 and UTF-32, with a byte order mark or guessed from the first bytes; the reader rejects them by
    /// name.
    case foreignEncoding
    /// Foundation allows a comma before a closing bracket.
    case trailingComma
    /// A number beyond ±1.8e308: the reader keeps its text, but `Double` can't represent it.
    case exponent
  }

  package init(_ document: [UInt8]) { self.init(document, document) }

  /// - Parameters:
  ///   - document: The document for the reader.
  ///   - other: The document for Foundation; a different one shows that this comparison can fail.
  package init(_ document: [UInt8], _ other: [UInt8]) {
    let read = Result { try ReadValue.read(document) }
    let decoded = Result { try FoundationValue.read(other) }
    switch (read, decoded) {
    case (.failure, .failure): self = .same
    case (.failure, .success) where Self.looksForeign(document): self = .exempt(.foreignEncoding)
    case (.failure(let error as CofferError), .success)
    where Self.isTrailingComma(before: error.place.position?.offset ?? 0, in: document):
      self = .exempt(.trailingComma)
    case (.failure(let error), .success): self = .different("Foundation accepts it, the reader says: \(error)")
    case (.success(let value), .failure) where value.exceedsDouble: self = .exempt(.exponent)
    case (.success, .failure(let error)): self = .different("the reader accepts it, Foundation says: \(error)")
    case (.success(let mine), .success(let theirs)):
      self = mine.equals(theirs) ? .same : .different("\(mine) and \(theirs)")
    }
  }

  /// RFC 4627, section 3: some of the first four bytes of UTF-16 or UTF-32 text are zero, unless it begins with a mark.
  private static func looksForeign(_ document: [UInt8]) -> Bool {
    document.prefix(4).contains(0) || document.starts(with: [0xFE, 0xFF]) || document.starts(with: [0xFF, 0xFE])
  }

  private static func isTrailingComma(before offset: Int, in document: [UInt8]) -> Bool {
    guard offset < document.count, "]}".utf8.contains(document[offset]) else { return false }
    return document[..<offset].last { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: ",")
  }
}
