import Findings

extension Schema {
  /// A string that names an entry of the container which holds the document, and the sibling fields that tell more of that entry.
  package struct ContainerEntry: Sendable {
    /// Stands before the string in the entry's name.
    package var prefix = ""
    package var size: Field?
    package var digest: Field?
    package var algorithm = DigestAlgorithm.md5

    /// A field of the same object.
    package struct Field: Sendable {
      package var name: String
      package var grading: Grading
      /// Where the rule about it stands.
      package var origin: Origin
    }
  }
}

/// How a digest is made of an entry's bytes.
package enum DigestAlgorithm: String, Sendable, CaseIterable {
  case md5, sha256
}
