/// A place in a document that a caller watches in addition to the rules, token by token from the root.
package enum WatchedPlace: Sendable, Hashable {
  /// The scalar there.
  case value([String])
  /// The number of items of the array there.
  case count([String])
}

/// The value at such a place.
package enum WatchedValue: Sendable, Hashable {
  case absent
  case null
  case boolean(Bool)
  /// A number as spelled in the document.
  case number(String)
  case string(String)
  case container
}
