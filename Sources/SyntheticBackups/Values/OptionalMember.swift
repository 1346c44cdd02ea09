/// A member that a record may do without: the app leaves it out, and reads `null` alike.
enum OptionalMember<Value: Sendable>: Sendable {
  case absent
  case null
  case value(Value)

  /// Present in `percent` of a hundred records, `null` in about one in twenty of the others.
  init(_ percent: Int, from random: inout RandomSource, value: (inout RandomSource) -> Value) {
    if random.chance(percent) {
      self = .value(value(&random))
    } else {
      self = random.chance(5) ? .null : .absent
    }
  }
}
