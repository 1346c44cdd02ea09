import ByteStreams

/// The syntax in which a document's values are written.
///
/// JSON Lines and sequences are arrays of their values in another syntax: for all readers, `/12/id` is the member `id` of the 13th
/// value.
public enum JSONSyntax: String, Sendable, CaseIterable, Codable {
  /// One JSON value (RFC 8259).
  case json
  /// One JSON value per line, as in `.jsonl` and `.ndjson` files. Blank lines are skipped, and the last line needs no line break.
  case jsonLines = "ndjson"
  /// A JSON text sequence (RFC 7464), or values one after the other: between them are white space and record separators (U+001E), or
  /// nothing if a bracket or a quotation mark separates them. A value may have several lines.
  ///
  /// A document that begins with a record separator is read as a sequence, whatever its name is.
  case sequence = "seq"

  /// The control character before each value of an RFC 7464 sequence.
  package static let recordSeparator: UInt8 = 0x1E
  /// The number of bytes that show whether a document is such a sequence.
  package static let prefixSize = 4096

  /// True if a record separator is the first byte that is neither white space nor part of a byte order mark.
  package static func isSequence(_ prefix: some Collection<UInt8>) -> Bool {
    firstByte(of: prefix.prefix(prefixSize)) == recordSeparator
  }

  /// The first byte that is neither white space nor part of a byte order mark.
  static func firstByte(of bytes: some Collection<UInt8>) -> UInt8? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if !bytes.isEmpty, bytes.count < 3, mark.starts(with: bytes) { return nil }
    return (bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]).first { !SyntaxDiagnosis.isSpace($0) }
  }

  /// Derives the syntax from a file name: JSON Lines for `.jsonl` and `.ndjson`, also before the ending of a compressed file.
  ///
  /// - Parameter name: the file's name, in any letter case.
  public init(ofFileNamed name: String) {
    let name = CompressionFormat.plainName(of: name).lowercased()
    let endings = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
    self = endings.last == "jsonl" || endings.last == "ndjson" ? .jsonLines : .json
  }
}
