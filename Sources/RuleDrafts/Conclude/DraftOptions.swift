/// Options for drafting rules.
package struct DraftOptions: Sendable {
  /// How much evidence a rule needs.
  package enum Strictness: Sendable {
    /// Strong evidence only. Unknown members are allowed.
    case loose
    /// Unknown members give notes.
    case normal
    /// Any evidence. Unknown members are errors.
    case tight
  }

  package var strictness = Strictness.normal
  /// True to add the bounds of numbers and dates.
  package var addsBounds = false
  /// The name of the format, or `nil` for rules without a `backup`.
  package var name: String?

  package init() {}
}
