public import ByteStreams
package import Findings
import Foundation

/// A part of a damaged document that is not in the recovered one, or that was repaired.
public struct LeftOut: Sendable, Hashable {
  /// Why, stable for programs.
  public enum Reason: String, Sendable, CaseIterable, Encodable {
    /// A byte that JSON doesn't allow there.
    case syntax
    /// A string with a control character, an invalid escape, or bytes that aren't UTF-8.
    case string
    /// The document ends in it, or before the containers around it do.
    case truncated
    /// A comma or a bracket that is missing or doubled. Nothing is lost.
    case separator
    /// A collection's name that is lost: it has the name that the rules, or what is left of it, suggest.
    case name
    /// What precedes the document.
    case beforeDocument = "before-document"
    /// What follows the document.
    case afterDocument = "after-document"
    /// Zeros after the document.
    case padding
    /// A whole record with an error.
    case invalid
    /// A whole record with the key of another one.
    case duplicate
    /// A whole record that refers to no record.
    case dangling
    /// A value that refers to no record: it is null now.
    case reference
    /// A number that declared a count or a sum: it is the right one now. Nothing is lost.
    case count

    /// True if JSON allows the value, and the rules don't.
    package var isOfRules: Bool { [.invalid, .duplicate, .dangling, .reference].contains(self) }
  }

  /// Where it begins.
  public let position: TextPosition
  /// The number of bytes; 0 for what is missing.
  public internal(set) var byteCount: Int
  /// The pointer of the value that it is, or that it is part of, in the damaged document. Behind other damage, indices of arrays count
  /// what was seen.
  public let pointer: String
  public internal(set) var reason: Reason
  /// True if it is another part of the range before it, which is handed over in several.
  public let continues: Bool
  /// The codes of the errors in a whole record: at most 8.
  public private(set) var codes: [String] = []
  /// The details of the errors, if they are known. Their places are those in the damaged document.
  public internal(set) var findings: [Finding] = []

  /// False if it held no data.
  public var isLoss: Bool { ![.separator, .name, .padding, .count].contains(reason) }
}

extension LeftOut {
  init(position: TextPosition, byteCount: Int, pointer: String, reason: Reason, continues: Bool) {
    self.position = position
    self.byteCount = byteCount
    self.pointer = pointer
    self.reason = reason
    self.continues = continues
  }

  /// Creates an entry for a whole record, or a value in it.
  ///
  /// - Parameters:
  ///   - removal: what is wrong with the record.
  ///   - pointer: that of the record.
  ///   - record: its range, in the document of the removal.
  ///   - start: its position in the damaged document.
  init(
    _ reason: Reason, _ range: Range<Int>, _ removal: Removal, of pointer: String, in record: Range<Int>, _ bytes: ByteView,
    at start: TextPosition
  ) {
    var lines = LineCursor(bytes: bytes, at: start)
    func position(_ offset: Int) -> TextPosition {
      lines.position(at: start.offset + min(max(0, offset - record.lowerBound), record.count))
    }
    let depth = pointer.utf8.count { $0 == UInt8(ascii: "/") }
    self.init(
      position: position(range.lowerBound), byteCount: range.count, pointer: pointer, reason: reason, continues: false)
    codes = removal.codes
    findings = removal.findings.map { finding in
      var finding = finding
      let inner = finding.place.pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst(depth + 1)
      finding.place = Place(
        pointer: ([pointer] + inner.map(String.init)).joined(separator: "/"), at: position(finding.place.offset))
      return finding
    }
  }
}

/// Part of a report: `{"pointer": "/cars/3", "line": 5, "column": 1, "offset": 123, "bytes": 45, "reason": "syntax"}`.
///
/// ``rejected(_:)`` adds the bytes: as `text`, or as `base64` if they aren't UTF-8.
extension LeftOut: Encodable {
  public func encode(to encoder: any Encoder) throws { try encoder.encode(ReportMembers(members)) }

  private var members: [(String, any Encodable)] {
    [
      ("pointer", pointer), ("line", position.line), ("column", position.column), ("offset", position.offset),
      ("bytes", byteCount),
      ("reason", reason),
    ] + (codes.isEmpty ? [] : [("codes", codes)]) + (findings.isEmpty ? [] : [("findings", findings)])
  }

  /// Returns what a file of rejected parts says.
  ///
  /// - Parameter file: the document, if several may be meant.
  package func rejected(_ bytes: UnsafeRawBufferPointer, of file: String? = nil) -> ReportMembers {
    let text = String(validating: bytes, as: UTF8.self)
    let content: (String, any Encodable) = text.map { ("text", $0) } ?? ("base64", Data(bytes).base64EncodedString())
    return ReportMembers((file.map { [("file", $0)] } ?? []) + members + (continues ? [("continues", true)] : []) + [content])
  }
}
