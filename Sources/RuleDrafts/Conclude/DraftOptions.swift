/// How much evidence a drafted rule needs.
public enum DraftStrictness: String, Sendable, CaseIterable {
  /// Strong evidence only. Members that no document has are allowed.
  case loose
  /// Members that no document has give notes.
  case normal
  /// Any evidence. Members that no document has are errors.
  case tight
}

/// What rules are drafted.
package struct DraftOptions: Sendable {
  package var strictness = DraftStrictness.normal
  /// True to add the bounds of numbers and dates.
  package var addsBounds = false
  /// The name of the format, or `nil` for rules without a `backup`.
  package var name: String?
  /// The archive that documents are in, or `nil` if all of them are files.
  package var archive: Archive?

  /// The ZIP archive of a backup.
  package struct Archive: Sendable {
    /// The name of the entry with the document, without a top folder.
    package var document: String
    package var hasTopFolder: Bool

    package init(document: String, hasTopFolder: Bool) {
      self.document = document
      self.hasTopFolder = hasTopFolder
    }
  }

  package init() {}
}
