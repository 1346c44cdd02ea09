/// Where the records of a collection are evaluated: all that is open around them. Small, and the same for all slices of the collection.
package struct CollectionContext: Sendable {
  /// How many brackets are open around a record.
  package let depth: Int

  let frames: [Frame]
  let activeStates: [ActiveState]
  let askers: [(asker: Asker, next: Int32)]
  let words: [UInt64]
  let captures: [Capture]
  let cells: [DataValue]
  let globalCells: [DataValue]
  let gatherings: [Gathering]
  let globalGatherings: [Gathering]
  let keyBytes: [UInt8]
  let scopeHeight: Int32
  /// How many findings wait for a branch around the collection.
  let pendingCount: Int
  /// Not 0: no rule looks at the records.
  let skipDepth: Int
  let skippedPath: SkippedPath
}
