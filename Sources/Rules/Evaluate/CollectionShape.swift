/// What is open around a collection, as far as the results of its slices refer to it by number.
struct CollectionShape: Equatable {
  let frameCount: Int
  let skipDepth: Int
  /// The offset of the innermost container that rules apply to.
  let offset: Int
  let activeCount: Int
  let cellCount: Int
  let gatheringCount: Int
  /// The numbers of the scoped key sets that are open.
  let scopeNumbers: [Int]
}

extension CollectionShape {
  init(_ context: CollectionContext, scopeNumbers: [Int]) {
    precondition(scopeNumbers.count == Int(context.scopeHeight), "the context must be the evaluator's own")
    self.init(
      frameCount: context.frames.count, skipDepth: context.skipDepth, offset: context.frames.last?.offset ?? 0,
      activeCount: context.activeStates.count, cellCount: context.cells.count, gatheringCount: context.gatherings.count,
      scopeNumbers: scopeNumbers)
  }
}
