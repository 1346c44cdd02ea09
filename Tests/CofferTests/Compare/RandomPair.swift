import TestSupport

@testable import Coffer

/// Two random documents that have much in common: records and members in another order, numbers and strings spelled differently,
/// and some records changed, removed or added.
struct RandomPair {
  private var random: SeededRandom
  let old: [UInt8]
  let new: [UInt8]

  static let descriptor = """
    {"$schema": "urn:coffer:rules:1", "title": "Test",
     "backup": {"name": "test", "version": {"pointer": "/version", "current": 3}, "createdAt": "/metadata/createdAt",
       "collections": {"/people": {"key": "id", "modified": "changed"}, "/stays": {"key": ["hotel", "night/date"]}, "/notes": {}}},
     "properties": {
       "version": {"type": "integer"},
       "metadata": {"properties": {"createdAt": {"format": "date-time"}, "people": {"countOf": "/people"}, "notes": {"countOf": "/notes"}}},
       "people": {"type": ["array", "null"], "uniqueKeys": [{"fields": "id", "ignoreCase": true, "code": "primary-key"}],
                  "items": {"properties": {"id": {}, "changed": {"format": "date-time"}}}},
       "stays": {"type": "array", "items": {"type": "object"}},
       "notes": {"type": "array", "items": {}}}}
    """

  static let collections: [PlainComparison.Collection] = [
    .init(path: ["people"], key: [["id"]], ignoresCase: true, modified: "changed"),
    .init(path: ["stays"], key: [["hotel"], ["night", "date"]]), .init(path: ["notes"], key: []),
    .init(path: ["data", "items"], key: [["id"]]),
  ]
  static let counts: [(path: [String], collection: [String])] = [
    (["metadata", "people"], ["people"]), (["metadata", "notes"], ["notes"]),
  ]
  /// Returns the key of the collection that is not in the descriptor: if neither document has it, a key option would be an error.
  static func keys(in old: String, _ new: String) -> [String: [[String]]] {
    (old + new).contains(#/"items"\s*:\s*\[/#) ? ["/data/items": [["id"]]] : [:]
  }

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    var maker = Maker(random: random)
    let (old, new) = maker.pair()
    self.old = Array(old.utf8)
    self.new = Array(new.utf8)
  }

  private struct Maker {
    var random: SeededRandom

    mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    mutating func shuffled<T>(_ items: [T]) -> [T] { items.shuffled(using: &random) }

    mutating func space() -> String { ["", "", "", " ", "\n  ", "\t"][below(6)] }

    mutating func object(_ members: [(String, String)]) -> String {
      "{" + shuffled(members).map { "\(space())\"\($0.0)\"\(space()):\(space())\($0.1)" }.joined(separator: ",") + space() + "}"
    }

    mutating func array(_ items: [String]) -> String {
      "[" + items.map { space() + $0 + space() }.joined(separator: ",") + space() + "]"
    }

    /// Returns one of several spellings of a value.
    mutating func number(_ value: Int) -> String {
      [
        "\(value)", "\(value).0", "\(value)e0", "\(value).00E+0", value == 0 ? "-0" : "\(value)0e-1", "\(value)",
      ][below(6)]
    }

    mutating func text(_ value: Int) -> String {
      let plain = "text/é \(value)"
      switch below(3) {
      case 0: return "\"\(plain)\""
      case 1: return "\"t\\u0065xt\\/é \(value)\""
      default: return "\"text/\\u00e9 \(value)\""
      }
    }

    mutating func time(_ value: Int) -> String { "\"2026-01-0\(1 + value % 9)T00:00:00\([".5Z", "Z", "+01:00"][value % 3])\"" }

    mutating func id(_ value: Int) -> String {
      switch value % 4 {
      case 0: return number(value)
      case 1: return "\"key-\(value)-of-some-length-so-that-it-is-digested\""
      case 2: return below(2) == 0 ? "\"Ab\(value)\"" : "\"aB\(value)\""
      default: return "\"\(value)\""
      }
    }

    /// Returns a record with the given content in one of several spellings.
    mutating func record(_ key: [(String, String)], _ content: Int) -> String {
      var members = key
      if content % 2 == 0 { members.append(("amount", number(content % 5))) }
      if content % 3 == 0 { members.append(("name", text(content % 4))) }
      if content % 5 == 0 { members.append(("nothing", "null")) }
      if content % 4 == 1 { members.append(("tags", array([number(content % 3), text(1), object([("deep", "true")])]))) }
      if content % 7 != 0 { members.append(("changed", time(content % 5))) }
      return object(members)
    }

    mutating func records(_ contents: [(key: Int, content: Int)], _ members: (inout Maker, Int) -> [(String, String)]) -> String {
      var texts: [String] = []
      for (key, content) in contents { texts.append(record(members(&self, key), content)) }
      return array(texts)
    }

    /// Returns the contents of both documents: mostly the same keys, each once.
    mutating func contents(_ count: Int) -> (old: [(key: Int, content: Int)], new: [(key: Int, content: Int)]) {
      var old: [(key: Int, content: Int)] = []
      var new: [(key: Int, content: Int)] = []
      for key in 0..<count {
        let content = below(40)
        let fate = below(8)
        if fate != 0 { old.append((key, content)) }
        if fate != 1 { new.append((key, fate < 4 ? below(40) : content)) }
      }
      return (below(2) == 0 ? old : shuffled(old), below(2) == 0 ? new : shuffled(new))
    }

    mutating func loose(_ count: Int) -> [String] {
      (0..<count).map { _ in
        switch below(5) {
        case 0: number(below(3))
        case 1: text(below(2))
        case 2: "null"
        case 3: object([("id", "null"), ("a", number(below(2)))])
        default: array([number(below(2))])
        }
      }
    }

    mutating func document(
      _ people: [(key: Int, content: Int)], _ stays: [(key: Int, content: Int)], _ items: [(key: Int, content: Int)]
    )
      -> String
    {
      var peopleText = records(people) { [("id", $0.id($1))] }
      // Adds some records without a key.
      if below(2) == 0 {
        let others = loose(below(4))
        peopleText =
          "[" + ([String(peopleText.dropFirst().dropLast())].filter { $0.contains("{") } + others).joined(separator: ",") + "]"
      }
      let staysText = records(stays) { maker, key in
        [("hotel", maker.number(key / 3)), ("night", maker.object([("date", maker.text(key % 3))]))]
      }
      let notes = loose(below(8))
      let itemsText = records(items) { [("id", $0.number($1))] }
      var members: [(String, String)] = [("version", number(3)), ("people", below(12) == 0 ? "null" : peopleText)]
      var metadata = [("createdAt", time(below(9))), ("device", text(below(2)))]
      if below(2) == 0 { metadata.append(("people", "77")) }
      if below(2) == 0 { metadata.append(("notes", number(notes.count))) }
      members.append(("metadata", object(metadata)))
      if below(6) != 0 { members.append(("stays", staysText)) }
      if below(6) != 0 { members.append(("notes", below(9) == 0 ? "5" : array(notes))) }
      if below(6) != 0 {
        members.append(("data", below(9) == 0 ? "[]" : object([("items", itemsText), ("unit", text(below(2)))])))
      }
      if below(2) == 0 { members.append(("unknown\(below(2))", array(loose(3)))) }
      return space() + object(members) + space()
    }

    mutating func pair() -> (String, String) {
      let size = [0, 3, 12, 60][below(4)]
      let people = contents(size)
      let stays = contents(size)
      let items = contents(size)
      return (document(people.old, stays.old, items.old), document(people.new, stays.new, items.new))
    }
  }
}
