public import ByteStreams
import JSONEvents
import RuleDrafts
import Rules

/// The rules of a draft that a person should decide about: keys, references and lists of values that few values support.
///
///     "tags": {"primaryKey": {"$comment": "4 values, no duplicates. Confidence: low.", "fields": "name"}, …}
///     ─▶ /properties/tags/primaryKey · name is the key of /tags · 4 values, no duplicates
extension RuleDraft {
  public struct Doubt: Sendable, Hashable {
    /// The rule's place in the draft, as a JSON Pointer.
    public let location: String
    /// The rule in words: `name is the key of /tags`.
    public let rule: String
    /// What supports it: `4 values, no duplicates`.
    public let evidence: String
  }

  /// True if the members of a document show that it has the drafted format.
  public var isRecognisable: Bool { document["backup"]?["detect"] != nil }

  /// True if the documents are objects without a member that all of them have, or not all of one type.
  public var documentsShareNothing: Bool {
    let isObject = document["type"]?.string == "object"
    return isObject ? document["properties"] != nil && document["required"] == nil : document["type"]?.array != nil
  }

  /// In the draft's order.
  public var doubts: [Doubt] {
    var doubts: [Doubt] = []
    Self.find(in: document, at: [], of: "", &doubts)
    return doubts
  }

  /// Returns the draft without some of the rules.
  ///
  /// A key that isn't one is also no key of the format's collection.
  ///
  /// - Parameter locations: the rules' places, as ``Doubt/location`` has them.
  /// - Throws: `noSuchValue` for a place where the draft has no rule in doubt.
  public func leavingOut(_ locations: [String]) throws(CofferError) -> RuleDraft {
    let known = doubts
    if let unknown = locations.first(where: { location in !known.contains { $0.location == location } }) {
      throw CofferError(.noSuchValue, "the draft has no rule in doubt at \(unknown)")
    }
    var rules = document
    // From the last to the first, because the places of a list's later items change.
    for doubt in known.reversed() where locations.contains(doubt.location) {
      let tokens = doubt.location.pointerTokens ?? []
      rules = rules.setting(nil, at: tokens)
      // A list of rules that is empty says nothing.
      if let list = tokens.last.flatMap(Int.init).map({ _ in tokens.dropLast() }), rules.value(at: list)?.array?.isEmpty == true {
        rules = rules.setting(nil, at: list)
      }
      if tokens.last == "primaryKey" {
        let names = tokens.dropLast().enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        rules = rules.setting(nil, at: ["backup", "collections", names.pointer, "key"])
      }
    }
    return RuleDraft(
      document: rules, documents: documents, bytes: bytes, notes: notes, keyCount: keyCount, referenceCount: referenceCount)
  }

  // MARK: Walking

  private static func find(in schema: JSONValue.Located, at location: [String], of place: String, _ doubts: inout [Doubt]) {
    func add(_ keyword: [String], _ rule: String, _ comment: String?, _ levels: [String] = ["low"]) {
      guard let comment, let level = levels.first(where: { comment.hasSuffix(" Confidence: \($0).") }) else { return }
      let evidence = comment.dropLast(" Confidence: \(level).".count)
      doubts.append(
        Doubt(
          location: (location + keyword).pointer, rule: rule,
          evidence: String(evidence.hasSuffix(".") ? evidence.dropLast() : evidence)))
    }
    let shown = place.isEmpty ? "the document" : place
    // What is called an id hardly needs more evidence.
    if let key = schema["primaryKey"], !isCalledID(fields(key["fields"])) {
      add(["primaryKey"], "\(fields(key["fields"])) is the key of \(shown)", key["$comment"]?.string)
    }
    for (index, key) in (schema["uniqueKeys"]?.array ?? []).enumerated() {
      add(["uniqueKeys", String(index)], "\(fields(key["fields"])) is unique in \(shown)", key["$comment"]?.string)
    }
    for (index, key) in (schema["foreignKeys"]?.array ?? []).enumerated() {
      let target = key["reference"]?["resource"]?.string ?? ""
      add(["foreignKeys", String(index)], "\(fields(key["fields"])) of \(shown) refers to \(target)", key["$comment"]?.string)
    }
    if let values = schema["enum"]?.array {
      let listed = values.prefix(8).map { $0.string.map { "'\($0)'" } ?? $0.text }.joined(separator: ", ")
      let more = values.count > 8 ? " and \(values.count - 8) more" : ""
      add(["enum"], "\(shown) is one of \(listed)\(more)", schema["$comment"]?.string, ["low", "medium"])
    }
    for member in schema["properties"]?.object ?? [] {
      find(in: member.value, at: location + ["properties", member.key], of: place + "/" + member.key.pointerToken, &doubts)
    }
    if let items = schema["items"] { find(in: items, at: location + ["items"], of: place + "/*", &doubts) }
    if let others = schema["additionalProperties"] {
      find(in: others, at: location + ["additionalProperties"], of: place + "/*", &doubts)
    }
  }

  private static func isCalledID(_ field: String) -> Bool {
    ["id", "uuid", "guid"].contains(field.lowercased())
      || ["Id", "ID", "_id", "-id", "Uuid", "UUID", "_uuid"].contains(where: field.hasSuffix)
  }

  private static func fields(_ value: JSONValue.Located?) -> String {
    value?.string ?? (value?.array ?? []).compactMap(\.string).joined(separator: ", ")
  }
}
