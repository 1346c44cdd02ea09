/// The reason why a document could not be read, and the place.
public struct JSONReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Stable for programs. Later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not JSON (RFC 8259).
    public static let syntax = Code(rawValue: "syntax")
    /// The input ends before the value is complete.
    public static let truncated = Code(rawValue: "truncated")
    /// The document contains only white space.
    public static let empty = Code(rawValue: "empty")
    /// Not UTF-8, or an escape that represents no character.
    public static let encoding = Code(rawValue: "encoding")
    /// The nesting exceeds ``ReaderLimits/depth``.
    public static let depthLimit = Code(rawValue: "depth-limit")
    /// A token exceeds ``ReaderLimits/tokenSize``.
    public static let tokenLimit = Code(rawValue: "token-limit")
    /// A line exceeds ``ReaderLimits/lineSize``.
    public static let lineLimit = Code(rawValue: "line-limit")
    /// The rules require more data at a time than can be kept.
    public static let ruleLimit = Code(rawValue: "rule-limit")
    /// Out of memory.
    public static let memory = Code(rawValue: "memory")
  }

  public let code: Code
  /// What was expected and what was found, without the position.
  public let message: String
  /// The same message without any content of the document.
  package let redactedMessage: String
  public let position: TextPosition

  public init(code: Code, message: String, position: TextPosition) {
    self.init(code: code, message: message, redacted: message, position: position)
  }

  package init(code: Code, message: String, redacted: String, position: TextPosition) {
    self.code = code
    self.message = message
    redactedMessage = redacted
    self.position = position
  }

  public var description: String {
    "\(message) at line \(position.line), column \(position.column) (byte \(position.offset))"
  }
}

/// A position in a document's text.
public struct TextPosition: Sendable, Hashable {
  /// The offset in bytes, from 0.
  public var offset: Int
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in Unicode scalar values.
  public var column: Int

  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }
}
