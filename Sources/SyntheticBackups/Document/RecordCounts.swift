/// How many records stand in each collection of a backup.
public struct RecordCounts: Sendable, Hashable {
  /// By the collection's pointer.
  public let byCollection: [String: Int]

  public init(_ byCollection: [String: Int]) { self.byCollection = byCollection }

  public var total: Int { byCollection.values.reduce(0, +) }

  /// How many records the collection at a pointer has.
  public subscript(pointer: String) -> Int { byCollection[pointer] ?? 0 }
}
