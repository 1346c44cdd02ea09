/// Tracks the open containers while JSON is written, and what may come next.
///
/// yajl_gen can't report this: it accepts the wrong bracket, crashes on an extra one, and corrupts its own state after 127
/// levels.
struct JSONNesting {
  /// yajl_gen's limit (`YAJL_MAX_DEPTH` is 128, and the last level can't be opened).
  static let deepest = 127

  enum Container: UInt128 { case array = 0, object = 1 }

  private enum Expectation {
    /// The root value, or an array's next item or its end.
    case value
    /// An object's next key or its end.
    case key
    /// The value of the key just written.
    case memberValue
    /// The root value is complete.
    case nothing
  }

  private var depth = 0
  /// One bit for each open container, the innermost in the lowest place; 127 levels fit into 128 bits.
  private var containers: UInt128 = 0
  private var expectation = Expectation.value

  var isComplete: Bool { expectation == .nothing }

  mutating func key() {
    precondition(expectation == .key, "a key where a value is expected")
    expectation = .memberValue
  }

  mutating func scalar() {
    expectValue()
    expectNext()
  }

  mutating func begin(_ container: Container) {
    expectValue()
    precondition(depth < Self.deepest, "more than \(Self.deepest) levels of nesting")
    depth += 1
    containers = containers << 1 | container.rawValue
    expectation = container == .object ? .key : .value
  }

  mutating func end(_ container: Container) {
    precondition(depth > 0, "no container is open")
    precondition(containers & 1 == container.rawValue, "the wrong closing bracket")
    precondition(expectation != .memberValue, "a key without its value")
    depth -= 1
    containers >>= 1
    expectNext()
  }

  private func expectValue() {
    precondition(expectation == .value || expectation == .memberValue, "a value where a key is expected, or after the end")
  }

  /// After a complete value, the outer container determines what comes next.
  private mutating func expectNext() {
    if depth == 0 {
      expectation = .nothing
    } else {
      expectation = containers & 1 == Container.object.rawValue ? .key : .value
    }
  }
}
