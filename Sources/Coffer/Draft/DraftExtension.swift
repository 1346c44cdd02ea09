import ByteStreams
import JSONEvents
import RuleDrafts
import Rules

extension RuleDraft {
  /// Adds to earlier drafted rules what they don't describe and this draft does: members, collections, the items of arrays that were
  /// empty. All that they describe stays, so tables that follow them keep their columns.
  ///
  /// - Parameter text: the earlier rules, as JSON.
  /// - Returns: the rules as JSON, and the number of additions.
  /// - Throws: `CofferError` if the text is not JSON.
  package func added(to text: String) throws(CofferError) -> (json: String, count: Int) {
    let old = try RuleSyntax.json.read(MemorySource(text.utf8))
    var count = 0
    var rules = Self.extended(old, by: document, &count)
    let known = rules.value(at: ["backup", "collections"]) ?? JSONValue.Located(.object([]))
    var collections = known
    for member in document.value(at: ["backup", "collections"])?.object ?? [] where known.value(at: [member.key]) == nil {
      collections = collections.setting(member.value, at: [member.key])
    }
    if var backup = rules["backup"] {
      if collections.object?.isEmpty == false { backup = backup.setting(collections, at: ["collections"]) }
      // Versions of drafted rules differ in nothing but their numbers.
      for (name, best) in [("current", { max($0, $1) }), ("oldest", { min($0, $1) })] as [(String, (Int, Int) -> Int)] {
        guard let known = Self.integer(backup.value(at: ["version", name])),
          let new = Self.integer(document.value(at: ["backup", "version", name])), best(known, new) != known
        else { continue }
        backup = backup.setting(JSONValue.Located(.number(String(new))), at: ["version", name])
        backup = backup.setting(JSONValue.Located(.boolean(true)), at: ["version", "sameForm"])
      }
      rules = rules.setting(backup, at: ["backup"])
    }
    return (DraftText.text(of: rules, as: .json), count)
  }

  private static func integer(_ value: JSONValue.Located?) -> Int? { value.flatMap { Int($0.text) } }

  private static func extended(_ old: JSONValue.Located, by new: JSONValue.Located, _ count: inout Int) -> JSONValue.Located {
    var result = old
    // An object of records has no members with names.
    let isOfRecords =
      old["properties"] == nil && old["additionalProperties"]?["$ref"] == nil && old["additionalProperties"] != nil
    if let members = new["properties"]?.object, !isOfRecords {
      var known = old["properties"] ?? JSONValue.Located(.object([]))
      for member in members {
        if let schema = known.value(at: [member.key]) {
          known = known.setting(extended(schema, by: member.value, &count), at: [member.key])
        } else {
          known = known.setting(member.value, at: [member.key])
          count += 1
        }
      }
      result = result.setting(known, at: ["properties"])
    }
    if let items = new["items"] {
      if let known = old["items"] {
        result = result.setting(extended(known, by: items, &count), at: ["items"])
      } else if ["array", nil].contains(old["type"]?.string) {
        for keyword in ["items", "primaryKey", "uniqueKeys", "foreignKeys"] where old[keyword] == nil {
          if let value = new[keyword] { result = result.setting(value, at: [keyword]) }
        }
        count += 1
      }
    }
    if isOfRecords, let known = old["additionalProperties"], let others = new["additionalProperties"] {
      result = result.setting(extended(known, by: others, &count), at: ["additionalProperties"])
    }
    return result
  }
}
