/// Why a rule was not concluded.
package struct DraftNote: Sendable, Hashable {
  /// The place of the values, as a JSON Pointer with `*` for any item.
  package let pointer: String
  package let message: String
}
