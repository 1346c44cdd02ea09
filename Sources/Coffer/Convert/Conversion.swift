/// What a conversion came to.
public struct Conversion: Sendable {
  /// How many bytes of the document, uncompressed, were read.
  public let bytesRead: Int
  /// Which collections were kept and which left out, if not all were wanted; of a document of unknown format, its arrays, at most 1024 of them.
  public let choice: CollectionChoice?
  /// What leaving them out does to the references of those that were kept.
  public let danglingReferences: [DanglingReference]
}
