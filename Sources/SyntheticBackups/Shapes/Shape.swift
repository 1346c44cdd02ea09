/// The constraints on one value, as alternatives of which it must satisfy one.
struct Shape: Sendable {
  private(set) var alternatives: [Conjunction]

  /// The maximum number of alternatives kept when conditions and choices are multiplied out. Dropped alternatives only reduce
  /// variety: each one is enough to satisfy the rules.
  private static let limit = 64

  static let anything = Shape([Conjunction()])
  static let nothing = Shape([])

  init(_ alternatives: [Conjunction]) { self.alternatives = Array(alternatives.prefix(Self.limit)) }

  init(_ change: (inout Conjunction) -> Void) {
    var conjunction = Conjunction()
    change(&conjunction)
    self.init([conjunction])
  }

  var isNothing: Bool { alternatives.isEmpty }

  func and(_ other: Shape) -> Shape {
    var result: [Conjunction] = []
    for first in alternatives {
      for second in other.alternatives {
        if result.count == Self.limit { break }
        if let both = first.and(second) { result.append(both) }
      }
    }
    return Shape(result)
  }

  func or(_ other: Shape) -> Shape { Shape(alternatives + other.alternatives) }

  /// Returns the shape with a change applied to each alternative.
  func map(_ change: (inout Conjunction) -> Void) -> Shape {
    Shape(
      alternatives.map {
        var changed = $0
        change(&changed)
        return changed
      })
  }
}
