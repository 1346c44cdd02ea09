import Findings

/// The result of a conversion.
public struct Conversion: Sendable {
  /// The number of uncompressed bytes read from the document.
  public let bytesRead: Int
  /// The kept and left-out collections, if only some were selected; for a document of unknown format, its arrays, at most 1024 of
  /// them.
  public let choice: CollectionChoice?
  /// The references from kept collections to left-out ones.
  public let danglingReferences: [DanglingReference]
}

/// The conversion in a report: `{"bytes": 1048576, "leftOut": ["cars"], "danglingReferences": ["expenses.carId refers to …"]}`.
extension Conversion: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "bytes": bytesRead, "leftOut": choice?.leftOutTitles ?? [], "danglingReferences": danglingReferences.map(\.description),
    ])
  }
}
