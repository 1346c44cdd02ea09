import ByteStreams
import JSONEvents

/// The scoped sets that are open: each has a number of its own, in the order of opening.
struct ScopeNumbers {
  /// The numbers of the open sets, the outermost first.
  private(set) var open: [Int] = []
  private var next: Int

  /// - Parameter setCount: the number of the document's sets, which have the first numbers.
  init(setCount: Int) { next = setCount }

  mutating func open(_ count: Int) {
    open += next..<next + count
    next += count
  }

  mutating func close(downTo height: Int) { open.removeLast(max(0, open.count - height)) }
}

extension KeyLog {
  /// Calls `body` with each operation on a key, in order.
  ///
  /// - Parameter lines: finds the lines of places in the log's stretch.
  func forEachRecord(
    _ scopes: inout ScopeNumbers, _ lines: inout LineCursor, _ body: (KeyRecord) throws(CofferError) -> Void
  ) throws(CofferError) {
    for entry in entries {
      let (operation, set): (KeyRecord.Operation, Int)
      switch entry.operation {
      case .claim(let number): (operation, set) = (.claim, Int(number))
      case .claimInScope(let height): (operation, set) = (.claim, scopes.open[Int(height)])
      case .define(let number): (operation, set) = (.define, Int(number))
      case .refer(let number): (operation, set) = (.refer, Int(number))
      case .openScopes(let count):
        scopes.open(Int(count))
        continue
      case .closeScopes(let height):
        scopes.close(downTo: Int(height))
        continue
      }
      let violation = violation(operation == .refer ? .dangling : .duplicate, entry, &lines)
      try body(KeyRecord(operation: operation, set: set, violation: violation, base: base(of: entry)))
    }
  }

  /// Opens and closes the sets that the log opens and closes.
  func count(_ scopes: inout ScopeNumbers) {
    for entry in entries {
      if case .openScopes(let count) = entry.operation { scopes.open(Int(count)) }
      if case .closeScopes(let height) = entry.operation { scopes.close(downTo: Int(height)) }
    }
  }
}
