import ByteStreams

/// What identifies a record when it moves in its collection: reports of two backups with the same defect match by it.
public struct RecordIdentity: Sendable, Hashable, Codable {
  /// The collection's JSON Pointer with `*` for any item: `/groups/*/members`.
  public var collection: String
  /// The collection's title, if the format names it.
  public var title: String?
  /// The primary key as text, several fields as a JSON array. `nil` if the record has none.
  public var key: String?

  public init(collection: String, title: String? = nil, key: String? = nil) {
    self.collection = collection.shortened(to: 1024)
    self.title = title
    self.key = key?.shortened(to: 256)
  }
}
