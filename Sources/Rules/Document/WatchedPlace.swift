/// A place in a document that a caller watches in addition to the rules, token by token from the root.
package enum WatchedPlace: Sendable, Hashable {
  /// The scalar at this path.
  case value([String])
  /// The number of items of the array at this path.
  case count([String])
}

/// The value at a watched place.
package enum WatchedValue: Sendable, Hashable {
  case absent
  case null
  case boolean(Bool)
  /// A number as spelled in the document.
  case number(String)
  case string(String)
  case container
}
