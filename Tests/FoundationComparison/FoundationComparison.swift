import JSONEvents

/// Whether Foundation's `JSONSerialization` says the same of a document as this project's reader: sound or not, and which values.
///
/// Strings are compared to the byte (without U+FEFF, which Foundation drops), numbers as `Double` (`-0` is Foundation's integer 0),
/// members by their keys: of keys that are canonically equivalent, and so equal as `String`, Foundation keeps one, whose value is not
/// compared. Where the two differ by intent is a class of its own.
package enum FoundationComparison: Equatable {
  /// Both refuse the document, or both give the same values.
  case same
  case exempt(Exemption)
  case different(String)

  package enum Exemption: Sendable {
    /// Foundation reads UTF-16 and UTF-32, with a byte order mark or guessed by the first bytes; the reader names them and refuses.
    case foreignEncoding
    /// Foundation allows a comma before a closing bracket.
    case trailingComma
    /// A number past ±1.8e308: the reader keeps its text, a `Double` can't be it.
    case exponent
  }

  package init(_ document: [UInt8]) { self.init(document, document) }

  /// - Parameters:
  ///   - document: for the reader.
  ///   - other: for Foundation; another document shows that this comparison can fail.
  package init(_ document: [UInt8], _ other: [UInt8]) {
    let read = Result { try ReadValue.read(document) }
    let decoded = Result { try FoundationValue.read(other) }
    switch (read, decoded) {
    case (.failure, .failure): self = .same
    case (.failure, .success) where Self.looksForeign(document): self = .exempt(.foreignEncoding)
    case (.failure(let error as JSONReadError), .success) where Self.isTrailingComma(before: error.position.offset, in: document):
      self = .exempt(.trailingComma)
    case (.failure(let error), .success): self = .different("Foundation accepts it, the reader says: \(error)")
    case (.success(let value), .failure) where value.exceedsDouble: self = .exempt(.exponent)
    case (.success, .failure(let error)): self = .different("the reader accepts it, Foundation says: \(error)")
    case (.success(let mine), .success(let theirs)):
      self = mine.equals(theirs) ? .same : .different("\(mine) and \(theirs)")
    }
  }

  /// RFC 4627, section 3: of the first four bytes of a text in UTF-16 or UTF-32 some are zero, unless it begins with a mark.
  private static func looksForeign(_ document: [UInt8]) -> Bool {
    document.prefix(4).contains(0) || document.starts(with: [0xFE, 0xFF]) || document.starts(with: [0xFF, 0xFE])
  }

  private static func isTrailingComma(before offset: Int, in document: [UInt8]) -> Bool {
    guard offset < document.count, "]}".utf8.contains(document[offset]) else { return false }
    return document[..<offset].last { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: ",")
  }
}
