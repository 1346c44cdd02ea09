/// The number of records in each collection of a backup.
public struct RecordCounts: Sendable, Hashable {
  /// Counts by the collection's pointer.
  public let byCollection: [String: Int]

  public init(_ byCollection: [String: Int]) { self.byCollection = byCollection }

  public var total: Int { byCollection.values.reduce(0, +) }

  /// The number of records in the collection at a pointer.
  public subscript(pointer: String) -> Int { byCollection[pointer] ?? 0 }
}
