/// A place of a document that somebody wants to know of, beside what the rules look at: token by token from the root.
package enum WatchedPlace: Sendable, Hashable {
  /// The scalar there.
  case value([String])
  /// How many items the array there has.
  case count([String])
}

/// What stood at such a place.
package enum WatchedValue: Sendable, Hashable {
  case absent
  case null
  case boolean(Bool)
  /// As the document spells it.
  case number(String)
  case string(String)
  case container
}
