/// Why there is no verdict.
package enum PlainError: Error, Equatable {
  /// A keyword has an invalid value.
  case malformed(String)
  /// A reference leads nowhere.
  case unresolved(String)
  /// A schema is applied to a value to which it is already being applied (core, section 9.4.1).
  case infiniteRecursion
  /// Too many schemas would be applied, or one pattern or division costs too much.
  case tooCostly
}
