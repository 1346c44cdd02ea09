import ByteStreams
import Findings

/// The line of a document below a finding on a terminal, with a marker below the value:
///
///     18062 |       "carId": 99, "cost": 12.5
///           |                ^^
///
/// A long line is shown around the value. Control characters are escaped, like all texts of documents.
extension TextReport {
  /// Reads a part of a document, or returns `nil` if it can't be read again: standard input, compressed files.
  package typealias SourceReader = @Sendable (_ file: String, _ range: Range<Int>) -> [UInt8]?

  /// The most bytes before and after the value's start that are looked at.
  private static let reach = 600

  /// Returns the two lines, or nothing if the document's text isn't available.
  func sourceLines(at place: Place, in file: String) -> String {
    guard let source, let width, place.entry == nil, place.offset >= 0 else { return "" }
    let start = max(0, place.offset - Self.reach)
    guard let bytes = source(file, start..<place.offset + Self.reach), place.offset - start < bytes.count else { return "" }
    let value = place.offset - start
    let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let lineStart = bytes[..<value].lastIndex(where: isBreak).map { $0 + 1 }
    let lineEnd = bytes[value...].firstIndex(where: isBreak) ?? bytes.count
    // Of a value of several lines, the first one is marked, and of an unknown end, the start.
    let valueEnd = max(value, min(place.end.map { $0.offset - start } ?? value + 1, lineEnd))
    let label = "\(place.line) | "
    let room = max(20, width - label.columns - 4)
    var before = Self.text(bytes[(lineStart ?? 0)..<value])
    let marked = Self.text(bytes[value..<valueEnd]).cut(toColumns: room / 2)
    // What is cut at the start is less important than what is near.
    if lineStart == nil && start > 0 || before.columns > room / 2 { before = before.end(inColumns: room / 2) }
    let after = Self.text(bytes[valueEnd..<lineEnd]).cut(toColumns: room - before.columns - marked.columns)
    let blank = Self.blanks(label.columns - 2)
    let marker = String(repeating: "^", count: max(1, marked.columns))
    return "    \(label)\(before)\(marked)\(after)\n    \(blank)| \(Self.blanks(before.columns))\(marker)\n"
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    // A tab has a width that only the terminal knows.
    String(decoding: bytes.map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }, as: UTF8.self).printable
  }
}

extension String {
  /// Returns the end of the text with an ellipsis before it, in as many columns as there are.
  fileprivate func end(inColumns limit: Int) -> String {
    let reversed = String(reversed())
    return "…" + String(reversed.cut(toColumns: max(1, limit)).dropLast().reversed())
  }
}
