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

  /// False if it held no data.
  public var isLoss: Bool { ![.separator, .name, .padding].contains(reason) }
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
    ]
  }

  /// Returns what a file of rejected parts says.
  package func rejected(_ bytes: UnsafeRawBufferPointer) -> ReportMembers {
    let text = String(validating: bytes, as: UTF8.self)
    let content: (String, any Encodable) = text.map { ("text", $0) } ?? ("base64", Data(bytes).base64EncodedString())
    return ReportMembers(members + (continues ? [("continues", true)] : []) + [content])
  }
}
