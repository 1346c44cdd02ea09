public import ByteStreams

extension CofferError.Code {
  /// The bytes are not JSON (RFC 8259).
  public static let syntax = Self(rawValue: "syntax")
  /// The input ends before the value is complete.
  public static let truncated = Self(rawValue: "truncated")
  /// The document contains only white space.
  public static let empty = Self(rawValue: "empty")
  /// Invalid UTF-8, or an escape that represents no character.
  public static let encoding = Self(rawValue: "encoding")
  /// The nesting exceeds ``ReaderLimits/depth``.
  public static let depthLimit = Self(rawValue: "depth-limit")
  /// A token exceeds ``ReaderLimits/tokenSize``.
  public static let tokenLimit = Self(rawValue: "token-limit")
  /// A line exceeds ``ReaderLimits/lineSize``.
  public static let lineLimit = Self(rawValue: "line-limit")
  /// The data to sort exceeds the memory available for it.
  public static let sortLimit = Self(rawValue: "sort-limit")
  /// The rules require more data at a time than can be kept.
  public static let ruleLimit = Self(rawValue: "rule-limit")
  /// Out of memory.
  public static let memory = Self(rawValue: "memory")
}
