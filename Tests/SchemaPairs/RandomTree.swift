/// JSON made of chance, as a tree that can still be changed.
indirect enum RandomTree {
  /// A scalar's own text.
  case scalar(String)
  case array([RandomTree])
  /// Names without quotes, and without anything to escape.
  case object([(name: String, value: RandomTree)])

  static func string(_ text: String) -> RandomTree { .scalar("\"\(text)\"") }

  var text: String {
    switch self {
    case .scalar(let text): text
    case .array(let items): "[\(items.map(\.text).joined(separator: ", "))]"
    case .object(let members): "{\(members.map { "\"\($0.name)\": \($0.value.text)" }.joined(separator: ", "))}"
    }
  }

  /// How many values it holds, itself among them.
  var size: Int {
    switch self {
    case .scalar: 1
    case .array(let items): items.reduce(1) { $0 + $1.size }
    case .object(let members): members.reduce(1) { $0 + $1.value.size }
    }
  }
}
