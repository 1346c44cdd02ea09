import TestSupport

/// Small values with few names, numbers and strings, so that rules made from them apply often.
struct RandomValues {
  static let names = ["a", "b", "c", "aa", "a/b", "", "é"]
  static let numbers = [
    "0", "1", "1.0", "2", "3", "-0", "-1", "0.1", "0.3", "1.5", "1E1", "1e-7", "9007199254740992", "9007199254740993", "1e400",
  ]
  /// Composed and decomposed accents are different strings; a number and its digits are different values.
  static let strings = [#""""#, #""a""#, #""b""#, #""aa""#, #""é""#, #""e\u0301""#, #""\u00e9""#, #""1""#, #""a/b""#, #""😀""#]
  static let literals = ["null", "true", "false"]

  var random: SeededRandom

  mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

  /// Returns one of the choices, more often one of the first.
  mutating func pick<T>(_ choices: [T]) -> T { choices[min(below(choices.count), below(choices.count))] }

  /// Returns `count` different names, or all if there are fewer.
  mutating func names(_ count: Int) -> [String] {
    var left = Self.names
    return (0..<min(count, left.count)).map { _ in left.remove(at: min(below(left.count), below(left.count))) }
  }

  mutating func scalar() -> RandomTree {
    switch below(5) {
    case 0, 1: .scalar(pick(Self.numbers))
    case 2, 3: .scalar(pick(Self.strings))
    default: .scalar(pick(Self.literals))
    }
  }

  /// Returns a value with at most `depth` containers around each scalar.
  mutating func value(depth: Int) -> RandomTree {
    switch depth > 0 ? below(8) : 0 {
    case 0, 1: return scalar()
    case 2, 3, 4: return .array((0..<below(5)).map { _ in value(depth: depth - below(2) - 1) })
    default: return .object(names(below(5)).map { ($0, value(depth: depth - below(2) - 1)) })
    }
  }

  /// Returns the value with a change somewhere in it.
  mutating func mutated(_ tree: RandomTree) -> RandomTree {
    switch tree {
    case .scalar: return value(depth: 1)
    case .array(var items):
      guard !items.isEmpty else { return .array([value(depth: 1)]) }
      let index = below(items.count)
      switch below(8) {
      case 0: items.remove(at: index)
      case 1: items.append(items[index])
      case 2: items.append(value(depth: 1))
      case 3: items.swapAt(index, items.count - 1)
      default: items[index] = mutated(items[index])
      }
      return .array(items)
    case .object(var members):
      guard !members.isEmpty else { return .object(names(1).map { ($0, value(depth: 1)) }) }
      let index = below(members.count)
      let unused = names(Self.names.count).first { name in !members.contains { $0.name == name } }
      switch below(8) {
      case 0: members.remove(at: index)
      case 1: if let unused { members.append((unused, members[index].value)) }
      case 2: if let unused { members[index].name = unused }
      case 3: members.swapAt(index, members.count - 1)
      default: members[index].value = mutated(members[index].value)
      }
      return .object(members)
    }
  }
}
