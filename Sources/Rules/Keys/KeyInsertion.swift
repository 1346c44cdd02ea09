/// What became of a key that was to be put into a set.
enum KeyInsertion {
  case new
  case known
  /// Not a member, nor is there memory to make it one.
  case noRoom
}
