/// Random JSON, as a tree that can be changed.
indirect enum RandomTree {
  /// A scalar's own text.
  case scalar(String)
  case array([RandomTree])
  /// Names are without quotes, and need no escapes.
  case object([(name: String, value: RandomTree)])

  static func string(_ text: String) -> RandomTree { .scalar("\"\(text)\"") }

  var text: String {
    switch self {
    case .scalar(let text): text
    case .array(let items): "[\(items.map(\.text).joined(separator: ", "))]"
    case .object(let members): "{\(members.map { "\"\($0.name)\": \($0.value.text)" }.joined(separator: ", "))}"
    }
  }

  /// The number of values in the tree, including itself.
  var size: Int {
    switch self {
    case .scalar: 1
    case .array(let items): items.reduce(1) { $0 + $1.size }
    case .object(let members): members.reduce(1) { $0 + $1.value.size }
    }
  }
}
