/// Why there is no verdict.
package enum PlainError: Error, Equatable {
  /// A keyword's value makes no sense.
  case malformed(String)
  /// A reference leads nowhere.
  case unresolved(String)
  /// A schema is applied to a value while it is being applied to it (core, section 9.4.1).
  case infiniteRecursion
  /// More schemas would be applied than is sensible, or one pattern or division costs too much.
  case tooCostly
}
