/// Options for drafting rules.
package struct DraftOptions: Sendable {
  /// How much evidence a rule needs.
  package enum Strictness: String, Sendable, CaseIterable {
    /// Only what the documents show beyond doubt. Unknown members are allowed.
    case loose
    /// Also what they show often enough. Unknown members give notes.
    case normal
    /// All that they allow. Unknown members are errors.
    case tight
  }

  package var strictness = Strictness.normal
  /// True to add the bounds of numbers and dates.
  package var addsBounds = false
  /// The name of the format, or `nil` for rules without a `backup`.
  package var name: String?

  package init() {}
}
