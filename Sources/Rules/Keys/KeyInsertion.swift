/// The result of inserting a key into a set.
enum KeyInsertion {
  case new
  case known
  /// The key isn't a member, and there is no memory to add it.
  case noRoom
}
