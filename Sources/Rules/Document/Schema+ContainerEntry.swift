import Findings

extension Schema {
  /// A string that names an entry of the document's container, and the sibling fields that describe that entry.
  package struct ContainerEntry: Sendable {
    /// The prefix of the entry's name before the string.
    package var prefix = ""
    package var size: Field?
    package var digest: Field?
    package var algorithm = DigestAlgorithm.md5

    /// A field of the same object.
    package struct Field: Sendable {
      package var name: String
      package var grading: Grading
      /// The place of the rule about it.
      package var origin: Origin
    }
  }
}

/// The digest algorithm for an entry's bytes.
package enum DigestAlgorithm: String, Sendable, CaseIterable {
  case md5, sha256
}
