/// What a document says of an entry of its container: judged when the container has been read.
struct EntryClaim: Sendable {
  enum Content: Sendable {
    case isThere
    case size(Int64)
    /// In hexadecimal digits.
    case digest(DigestAlgorithm, String)
  }

  var entry: String
  var content: Content
  var rule: Int32
  var subject: FindingSubject
}

/// The name of an entry, in an object that is open: what its other fields say of the entry is known when it ends.
struct OpenEntry {
  /// The active state of the object.
  var holder: Int
  var operand: Int32
  var entry: String
}
