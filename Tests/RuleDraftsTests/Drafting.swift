import ByteStreams
import JSONEvents
import RuleDrafts
import Rules

/// Helpers that draft rules without proving them.
enum Drafting {
  /// Returns what was observed of documents.
  static func observation(_ documents: [String]) throws -> DocumentObservation {
    var observation = DocumentObservation()
    for document in documents {
      var reader = JSONEventReader(MemorySource(document.utf8, chunkSize: 7))
      while try reader.next() { observation.consume(reader.batch) }
      observation.endDocument(bytes: document.utf8.count)
    }
    return observation
  }

  static func drafter(_ documents: [String], _ strictness: DraftStrictness = .normal) throws -> Drafter {
    var options = DraftOptions()
    options.strictness = strictness
    return Drafter(try observation(documents), options: options)
  }

  /// Returns the notes about a place of a document.
  static func notes(_ document: String, at pointer: String, _ strictness: DraftStrictness = .normal) throws -> [String] {
    try drafter([document], strictness).rules().notes.filter { $0.pointer == pointer }.map(\.message)
  }

  /// Returns the rules of a place of the documents, by tokens of schema keywords, as JSON without comments.
  static func rules(
    _ documents: [String], at tokens: [String] = [], _ strictness: DraftStrictness = .normal
  ) throws -> String {
    var value = try drafter(documents, strictness).rules().document
    for token in tokens { value = value[token] ?? JSONValue.Located(.null) }
    return value.withoutComments.text
  }

  /// Returns the rules of the member `a` of records that have the given values there.
  static func rules(ofMember name: String, _ values: [String], _ strictness: DraftStrictness = .normal) throws -> String {
    let records = values.map { "{\"\(name)\": \($0)}" }.joined(separator: ",")
    return try rules(["{\"records\": [\(records)]}"], at: ["properties", "records", "items", "properties", name], strictness)
  }
}

extension JSONValue.Located {
  /// The value without `$comment` members.
  fileprivate var withoutComments: Self {
    if let members = object {
      return Self(
        .object(
          members.filter { $0.key != "$comment" }.map { member in
            var member = member
            member.value = member.value.withoutComments
            return member
          }))
    }
    if let items = array { return Self(.array(items.map(\.withoutComments))) }
    return self
  }
}
