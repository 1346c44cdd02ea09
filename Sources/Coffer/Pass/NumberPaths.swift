import JSONEvents

/// The places of numbers, and what replaces each.
struct NumberPaths {
  private var tree: PointerTree
  private let numbers: [Int]

  /// - Parameter numbers: the numbers, with paths relative to the first event.
  init(_ numbers: [(path: [String], number: Int)]) {
    tree = PointerTree(numbers.map(\.path))
    self.numbers = numbers.map(\.number)
  }

  /// Takes the next event, and returns what replaces it.
  mutating func number(at event: Event, of batch: EventBatch) -> Int? {
    let places = tree.follow(event, of: batch)
    return event.kind == .number ? places.last.map { numbers[$0] } : nil
  }
}
