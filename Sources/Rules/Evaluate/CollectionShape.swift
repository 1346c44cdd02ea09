/// The counts of everything open around a collection, to check the indices in results of its slices.
struct CollectionShape: Equatable {
  let frameCount: Int
  let skipDepth: Int
  /// The offset of the innermost container that rules apply to.
  let offset: Int
  let activeCount: Int
  let cellCount: Int
  let aggregateCount: Int
  /// The numbers of the scoped key sets that are open.
  let scopeNumbers: [Int]
}

extension CollectionShape {
  init(_ context: CollectionContext, scopeNumbers: [Int]) {
    precondition(scopeNumbers.count == Int(context.scopeHeight), "the context must be the evaluator's own")
    self.init(
      frameCount: context.frames.count, skipDepth: context.skipDepth, offset: context.frames.last?.offset ?? 0,
      activeCount: context.activeStates.count, cellCount: context.cells.count, aggregateCount: context.aggregates.count,
      scopeNumbers: scopeNumbers)
  }
}
