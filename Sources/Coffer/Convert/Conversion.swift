/// The result of a conversion.
public struct Conversion: Sendable {
  /// The number of bytes of the document that were read, uncompressed.
  public let bytesRead: Int
  /// The kept and the left out collections, if not all were wanted; for a document of unknown format, its arrays, at most 1024 of them.
  public let choice: CollectionChoice?
  /// The references of kept collections to those that are left out.
  public let danglingReferences: [DanglingReference]
}
