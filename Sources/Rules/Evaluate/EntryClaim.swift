/// A document's claim about an entry of its container. It is checked after the container has been read.
struct EntryClaim: Sendable {
  enum Content: Sendable {
    case isThere
    case size(Int64)
    /// The digest in hexadecimal digits.
    case digest(DigestAlgorithm, String)
  }

  var entry: String
  var content: Content
  var rule: Int32
  var subject: FindingSubject
}

/// An entry name in an open object. The object's other claims about the entry are known when it ends.
struct OpenEntry {
  /// The active state of the object.
  var holder: Int
  var operand: Int32
  var entry: String
}
