/// The context of a collection's records: everything that is open around them. Small, and the same for all slices of the
/// collection.
package struct CollectionContext: Sendable {
  /// The number of open brackets around a record.
  package let depth: Int

  let frames: [Frame]
  let activeStates: [ActiveState]
  let askers: [(asker: Asker, next: Int32)]
  let words: [UInt64]
  let captures: [Capture]
  let cells: [DataValue]
  let globalCells: [DataValue]
  let aggregates: [Aggregate]
  let globalAggregates: [Aggregate]
  let keyBytes: [UInt8]
  let scopeHeight: Int32
  /// The number of findings that wait for a branch around the collection.
  let pendingCount: Int
  /// The number of open containers that are skipped. Not 0 if no rule applies to the records.
  let skipDepth: Int
  let skippedPath: SkippedPath
}
