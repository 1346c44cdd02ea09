/// What identifies a finding when lines and records move: two runs with the same defect have the same identity.
///
/// A record is identified by its key, every other item of an array is `*`. Lines, indices and messages don't matter.
///
///     {"code": "foreign-key", "collection": "/expenses", "key": "28", "pointer": "/carId"}
///     {"code": "maximum", "pointer": "/trips/*/km"}                      a record without a key
public struct FindingIdentity: Sendable, Hashable, Codable {
  public var code: String
  /// The container entry, if the finding is about one.
  public var entry: String?
  /// The record's collection and key, as in `RecordIdentity`.
  public var collection: String?
  public var key: String?
  /// The place: in the record if `collection` is present, otherwise in the document.
  public var pointer: String

  public init(_ finding: Finding) {
    code = finding.code
    entry = finding.place.entry
    var tokens = finding.place.pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if let record = finding.record {
      collection = record.collection
      key = record.key
      // The empty one before the first slash, the collection's, and the record's index. The one before the record's members stays.
      tokens.removeFirst(min(tokens.count, record.collection.utf8.count { $0 == UInt8(ascii: "/") } + 2))
      tokens.insert("", at: 0)
    }
    pointer = tokens.map { $0.mayBeIndex ? "*" : $0 }.joined(separator: "/")
  }
}

extension String {
  /// True for a token of a JSON Pointer that may be an index.
  package var mayBeIndex: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
