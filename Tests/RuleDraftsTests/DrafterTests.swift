import RuleDrafts
import Rules
import Testing

/// Each conclusion, and what prevents it.
@Suite struct DrafterTests {
  // MARK: Types

  @Test(arguments: [
    (["1", "2"], #"{"type": "integer"}"#),
    (["1", "2.5"], #"{"type": "number"}"#),
    // A Double that happens to be whole is written with a point.
    (["1.0", "2.0"], #"{"type": "number"}"#),
    (["1e3"], #"{"type": "number"}"#),
    (["123456789012345678901234567890"], #"{"type": "integer"}"#),
    (["true", "null"], #"{"type": ["boolean", "null"]}"#),
    (["\"x\"", "1"], #"{"type": ["integer", "string"]}"#),
    (["null"], "{}"),
    (["[]", "[]"], #"{"type": "array"}"#),
    (["[1]", "[2, null]"], #"{"type": "array", "items": {"type": ["integer", "null"]}}"#),
  ])
  func `types are those of the values`(_ values: [String], _ rules: String) throws {
    #expect(try Drafting.rules(ofMember: "a", values) == rules)
  }

  // MARK: Objects

  @Test func `members that all objects have are required, in the order of the documents`() throws {
    let rules = try Drafting.rules([#"[{"a": 1, "c": 2}, {"a": 1, "b": 3, "c": 2}]"#], at: ["items"])
    #expect(
      rules == """
        {"type": "object", "required": ["a", "c"], "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, \
        "c": {"type": "integer"}}, "additionalProperties": {"$ref": "#/$defs/unknown"}}
        """)
  }

  @Test func `the end of something is required only if many records have it`() throws {
    func required(_ count: Int, _ strictness: DraftStrictness = .normal) throws -> [String]? {
      let trips = Array(repeating: #"{"startedAt": "2026-01-01T00:00:00Z", "endedAt": "2026-01-02T00:00:00Z"}"#, count: count)
      let rules = try Drafting.drafter(["[\(trips.joined(separator: ","))]"], strictness).rules().document
      return rules["items"]?["required"]?.array?.compactMap(\.string)
    }
    #expect(try required(29) == ["startedAt"])
    #expect(try required(30) == ["startedAt", "endedAt"])
    #expect(try required(29, .tight) == ["startedAt", "endedAt"])
  }

  @Test func `a duplicate key counts once`() throws {
    let rules = try Drafting.rules([#"[{"a": 1, "a": 2}, {"b": 1}]"#], at: ["items", "required"])
    #expect(rules == "null")
  }

  @Test(arguments: [(DraftStrictness.loose, "null"), (.normal, ##"{"$ref": "#/$defs/unknown"}"##), (.tight, "false")])
  func `the strictness decides on further members`(_ strictness: DraftStrictness, _ rules: String) throws {
    #expect(try Drafting.rules([#"{"a": 1}"#], at: ["additionalProperties"], strictness) == rules)
  }

  @Test func `an object whose names are data is a map`() throws {
    let days = (1...9).map { "\"2026-01-0\($0)\": {\"n\": \($0)}" }.joined(separator: ",")
    let rules = try Drafting.rules(["{\(days)}"])
    #expect(
      rules == """
        {"$schema": "urn:coffer:rules:1", "type": "object", "additionalProperties": {"type": "object", "required": ["n"], \
        "properties": {"n": {"type": "integer"}}, "additionalProperties": {"$ref": "#/$defs/unknown"}}, \
        "$defs": {"unknown": {"not": {}, "severity": "note", "code": "unknown-field", \
        "errorMessage": "no document had this member when the rules were drafted"}}}
        """)
  }

  /// Ids, codes and names of people, with records that have the same members.
  @Test(arguments: [
    (0..<6).map { "user\($0 * 7919 % 101)" },
    ["-OaB3x_kL9", "-OaC7p_mQ2", "-OaD1z_nR5", "-OaE4y_sT8", "-OaF6w_tU0", "-OaG2v_uV4"],
    ["ann", "bob", "cat", "dan", "eve", "fay", "gil", "hal", "ida", "jon", "kim", "leo"],
  ])
  func `records that are stored by id are a map`(_ names: [String]) throws {
    let members = names.enumerated().map { "\"\($1)\": {\"name\": \"n\($0)\", \"age\": \($0)}" }.joined(separator: ",")
    let users = try Drafting.drafter(["{\"users\": {\(members)}}"]).rules().document["properties"]?["users"]
    #expect(users?["required"] == nil && users?["properties"] == nil)
    #expect(users?["additionalProperties"]?["required"]?.array?.compactMap(\.string) == ["name", "age"])
  }

  /// Few of them, or a single one.
  @Test(arguments: [
    ["u1", "u2", "u3"], ["D7B4E3A2-1F60-4C5B-9A83-0E2F6B1C7D94"], ["2026-01-01", "2026-01-02"], ["17"], ["t1000", "t1007"],
  ])
  func `ids as names are a map, also if there are few`(_ names: [String]) throws {
    let members = names.enumerated().map { "\"\($1)\": {\"name\": \"n\($0)\", \"age\": \($0)}" }.joined(separator: ",")
    let users = try Drafting.drafter(["{\"users\": {\(members)}}"]).rules().document["properties"]?["users"]
    #expect(users?["required"] == nil && users?["additionalProperties"]?["required"] != nil)
  }

  @Test func `two lines of an address are no map`() throws {
    let line = #"{"text": "a", "size": 1}"#
    let required = try Drafting.drafter(["{\"line1\": \(line), \"line2\": \(line)}"]).rules().document["required"]
    #expect(required?.array?.compactMap(\.string) == ["line1", "line2"])
  }

  /// More records than places are kept for names of one object.
  @Test(arguments: [5, 40, 700]) func `records in a map have keys and references`(count: Int) throws {
    let users = (0..<count).map {
      #""u-\#($0 * 7)": {"id": \#($0 * 3), "bossId": "u-\#($0 / 2 * 7)", "teamId": \#(1000 + $0 % 4), "orders": {"o-\#($0)": {"sku": "s\#($0)"}}}"#
    }
    let teams = (0..<4).map { #"{"id": \#(1000 + $0), "ownerId": "u-\#($0 * 7)"}"# }
    let document = #"{"users": {\#(users.joined(separator: ","))}, "teams": [\#(teams.joined(separator: ","))]}"#
    let rules = try Drafting.drafter([document]).rules().document["properties"]
    #expect(rules?["users"]?["primaryKey"] == nil && rules?["users"]?["uniqueKeys"]?.array?.first?["fields"]?.string == "id")
    func references(_ collection: JSONValue.Located?) -> [String] {
      (collection?["foreignKeys"]?.array ?? []).map { key in
        let target = key["reference"]
        return "\(key["fields"]?.string ?? "") \(target?["resource"]?.string ?? "") \(target?["fields"]?.string ?? "name")"
      }
    }
    #expect(references(rules?["users"]) == ["bossId /users name", "teamId /teams id"])
    #expect(references(rules?["teams"]) == ["ownerId /users name"])
  }

  /// A name identifies a record: that no two have one owner so far is chance.
  @Test func `a reference in a map is no key`() throws {
    let profiles = (0..<6).map { #""p\#($0)": {"n": \#($0 % 2), "userId": "u\#($0)"}"# }.joined(separator: ",")
    let users = (0..<9).map { #""u\#($0)": {"name": "n\#($0)", "age": 7}"# }.joined(separator: ",")
    let rules = try Drafting.rules(
      [#"{"profiles": {\#(profiles)}, "state": {"users": {"byId": {\#(users)}}}}"#], at: ["properties", "profiles"])
    #expect(rules.contains(#""foreignKeys": [{"fields": "userId", "reference": {"resource": "/state/users/byId"}}]"#), "\(rules)")
    #expect(!rules.contains("Key\"") && !rules.contains("uniqueKeys"), "\(rules)")
  }

  @Test(arguments: ["reps", "rep", "sortBy", "groupBy", "sellers"]) func `a quantity or an option is no role`(name: String) throws
  {
    let people = (1...9).map { #"{"id": \#($0), "name": "n\#($0)"}"# }.joined(separator: ",")
    let records = (1...9).map { #"{"id": \#($0), "\#(name)": \#($0 % 3 + 2)}"# }.joined(separator: ",")
    let rules = try Drafting.rules([#"{"users": [\#(people)], "tickets": [\#(records)], "tracks": [\#(records)]}"#])
    #expect(!rules.contains("foreignKeys"))
  }

  @Test(arguments: ["supportRepId", "reportsTo", "owner", "createdBy"])
  func `a role refers to the only collection of people`(name: String) throws {
    func references(_ others: String) throws -> String {
      let people = (1...9).map { #"{"id": \#($0), "name": "n\#($0)"}"# }.joined(separator: ",")
      let records = (1...9).map { #"{"id": \#($0), "\#(name)": \#($0 % 3 + 2)}"# }.joined(separator: ",")
      return try Drafting.rules(
        [#"{"employees": [\#(people)], "tickets": [\#(records)], "tracks": [\#(records)]\#(others)}"#],
        at: ["properties", "tickets", "foreignKeys"])
    }
    #expect(try references("") == #"[{"fields": "\#(name)", "reference": {"resource": "/employees", "fields": "id"}}]"#)
    // Either could be meant.
    #expect(try references(#", "members": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]"#) == "null")
  }

  @Test func `sections with members of their own are no map`() throws {
    let names = (1...12).map { "section\($0)" }
    let members = names.map { "\"\($0)\": {\"\($0)A\": 1, \"\($0)B\": 2}" }.joined(separator: ",")
    let required = try Drafting.drafter(["{\(members)}"]).rules().document["required"]
    #expect(required?.array?.compactMap(\.string) == names)
  }

  @Test func `an object with too many names is a map, with a note`() throws {
    let members = (0..<20_000).map { "\"name\($0)\": \($0)" }.joined(separator: ",")
    let observation = try Drafting.observation(["{\(members)}"])
    let drafter = Drafter(observation, options: DraftOptions())
    let (rules, notes) = drafter.rules()
    #expect(rules["properties"] == nil)
    #expect(rules["additionalProperties"]?["type"]?.string == "integer")
    #expect(notes.map(\.message) == ["no list of members: their names look like data (20,000 members)"])
  }

  @Test func `deep nesting ends the description, not the run`() throws {
    let text = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    let (rules, notes) = try Drafting.drafter([text]).rules()
    #expect(rules["items"]?["items"]?["type"]?.string == "array")
    let limits = "nested more than 48 deep, or beyond the limit of 5,000 places"
    #expect(notes.first?.message == "1 value is not described: \(limits)", "\(notes)")
  }

  @Test func `places beyond the limit are counted, and a note says so`() throws {
    let records = (0..<30).map { row in
      "\"r\(row)x\": {" + (0..<200).map { "\"m\($0)x\": [\($0)]" }.joined(separator: ",") + "}"
    }
    let (rules, notes) = try Drafting.drafter(["{\(records.joined(separator: ","))}"]).rules()
    #expect(rules["properties"]?["r0x"]?["properties"]?["m199x"]?["items"]?["type"]?.string == "integer")
    #expect(notes.contains { $0.pointer.isEmpty && $0.message.hasSuffix("beyond the limit of 5,000 places") }, "\(notes)")
  }

  // MARK: Enums

  private static let kinds = (0..<40).map { "\"\(["home", "work", "other"][$0 % 3])\"" }

  @Test func `values that repeat and are few are an enum`() throws {
    #expect(try Drafting.rules(ofMember: "kind", Self.kinds) == #"{"type": "string", "enum": ["home", "work", "other"]}"#)
  }

  @Test func `an enum may include null`() throws {
    let rules = try Drafting.rules(ofMember: "kind", Self.kinds + ["null"])
    #expect(rules == #"{"type": ["string", "null"], "enum": ["home", "work", "other", null]}"#)
  }

  /// There will be further people, accounts and files.
  @Test(arguments: [
    ("ownerId", ["a", "b", "c"]), ("account", ["a", "b", "c"]), ("fileNumber", ["a", "b", "c"]),
    ("driver", ["ann", "bob", "cy"]), ("group", ["g", "h", "i"]), ("city", ["Bonn", "Oslo", "Rom"]),
    ("plate", ["B-1", "B-2", "B-3"]),
  ])
  func `names of things are no enum`(_ name: String, _ values: [String]) throws {
    #expect(try Drafting.rules(ofMember: name, (0..<60).map { "\"\(values[$0 % 3])\"" }) == #"{"type": "string"}"#)
  }

  @Test(arguments: [["run", "swim", "in-line"], ["A", "B", "AB"], ["IN_PROGRESS", "DONE"]])
  func `words of programs are an enum`(_ values: [String]) throws {
    let rules = try Drafting.rules(ofMember: "sport", (0..<60).map { "\"\(values[$0 % values.count])\"" })
    #expect(rules.contains("\"enum\": "))
  }

  @Test func `levels go on`() throws {
    #expect(try Drafting.rules(ofMember: "level", (0..<60).map { "\($0 % 3)" }) == #"{"type": "integer"}"#)
  }

  @Test func `a few whole weights are numbers`() throws {
    #expect(try Drafting.rules(ofMember: "weight", (70..<80).map { "\($0)" }) == #"{"type": "number"}"#)
    #expect(try Drafting.rules(ofMember: "weight", (70..<80).map { "\($0)" }, .tight) == #"{"type": "integer"}"#)
    #expect(try Drafting.rules(ofMember: "weight", (70..<90).map { "\($0)" }) == #"{"type": "integer"}"#)
    #expect(try Drafting.rules(ofMember: "doors", (70..<80).map { "\($0)" }) == #"{"type": "integer"}"#)
  }

  @Test(arguments: ["title", "notes"]) func `names of prose prevent an enum`(_ name: String) throws {
    #expect(try Drafting.rules(ofMember: name, Self.kinds) == #"{"type": "string"}"#)
  }

  @Test func `a single value is an enum if many documents have it, and in tight drafts`() throws {
    let values = Array(repeating: "\"manual\"", count: 40)
    let documents = Array(repeating: #"{"format": "shop"}"#, count: 10)
    let constant = #"{"type": "string", "enum": ["shop"]}"#
    #expect(try Drafting.rules(documents, at: ["properties", "format"]) == constant)
    #expect(try Drafting.rules(Array(documents.dropLast()), at: ["properties", "format"]) == #"{"type": "string"}"#)
    #expect(try Drafting.rules(ofMember: "kind", values) == #"{"type": "string"}"#)
    #expect(try Drafting.rules(ofMember: "kind", values, .tight) == #"{"type": "string", "enum": ["manual"]}"#)
  }

  @Test func `a single value has no bounds`() throws {
    var options = DraftOptions()
    options.addsBounds = true
    let document = #"[{"a": 3, "b": 1, "c": "2026-01-02"}, {"a": 3, "b": 2, "c": "2026-01-02"}]"#
    let (rules, notes) = Drafter(try Drafting.observation([document]), options: options).rules()
    let properties = rules["items"]?["properties"]
    #expect(properties?["a"]?["minimum"] == nil && properties?["a"]?["maximum"] == nil)
    #expect(properties?["b"]?["maximum"]?.number == "2")
    #expect(properties?["c"]?["formatMinimum"] == nil && properties?["c"]?["formatMaximum"] == nil)
    #expect(notes.contains { $0.pointer == "/*/a" && $0.message == "no bounds: all values are 3" }, "\(notes)")
  }

  @Test func `a rare value prevents an enum`() throws {
    #expect(try Drafting.rules(ofMember: "kind", Self.kinds + ["\"rare\""]) == #"{"type": "string"}"#)
  }

  @Test func `places with like names share an enum`() throws {
    let many = (0..<40).map { "{\"currency\": \"\(["€", "$", "£", "¥"][$0 % 4])\"}" }.joined(separator: ",")
    let rules = try Drafting.rules(
      ["{\"prices\": [\(many)], \"cars\": [{\"homeCurrency\": \"€\"}, {\"homeCurrency\": \"¥\"}]}"],
      at: ["properties", "cars", "items", "properties", "homeCurrency"])
    #expect(rules == #"{"type": "string", "enum": ["€", "$", "£", "¥"]}"#)
  }

  @Test func `numbers are an enum only with the name of a kind`() throws {
    let values = (0..<60).map { String($0 % 3) }
    #expect(try Drafting.rules(ofMember: "drinkType", values) == #"{"type": "integer", "enum": [0, 1, 2]}"#)
    #expect(try Drafting.rules(ofMember: "doors", values) == #"{"type": "integer"}"#)
  }

  // MARK: Formats

  @Test(arguments: [
    ("at", ["\"2026-06-28T20:15:00Z\"", "\"2026-06-29T20:15:00+02:00\""], "date-time-seconds"),
    ("at", ["\"2026-06-28T20:15:00Z\"", "\"2026-06-28T20:15:00.25Z\""], "date-time"),
    ("day", ["\"2026-06-28\""], "date"),
    ("owner", ["\"D7B4E3A2-1F60-4C5B-9A83-0E2F6B1C7D94\""], "uuid"),
    ("mail", ["\"ann@example.com\""], "email"),
    ("link", ["\"https://example.com/a\""], "uri"),
    ("color", ["\"#FF8800\""], "color-hex"),
    ("currency", ["\"EUR\"", "\"USD\""], "currency"),
    ("paidIn", ["\"EUR\"", "\"SEK\"", "\"PLN\""], "currency"),
    ("cost", ["\"12.50\"", "\"3\""], "decimal"),
    ("data", ["\"JVBERi0xLjQK\"", "\"/9j/4AAQSkZJRg==\""], "base64"),
    ("createdAt", ["1782900000000"], "unix-time-ms"),
    ("createdAt", ["1782900000"], "unix-time"),
    ("createdAt", ["804592800.5"], "apple-reference-time"),
  ])
  func `formats are recognised`(_ name: String, _ values: [String], _ format: String) throws {
    let rules = try Drafting.rules(ofMember: name, values)
    #expect(rules.contains("\"format\": \"\(format)\""), "\(rules)")
  }

  @Test(arguments: [
    ("at", ["\"2026-06-28T20:15:00Z\"", "\"soon\""]),
    ("at", ["\"2026-06-28T20:15:00Z\"", "\"\""]),
    ("ratio", ["\"note: a colon\""]),
    ("zip", ["\"01234\"", "\"10115\""]),
    ("version", ["\"1.0\"", "\"1.1\""]),
    ("word", ["\"home\"", "\"work\""]),
    // All of these could be base64: paths, phone numbers.
    ("account", ["\"ledger/3\"", "\"ledger/7\""]),
    ("place", ["\"assets/images/icon/home\"", "\"assets/images/icon/work\""]),
    ("phone", ["\"+49170123456\"", "\"+44201234567\""]),
    // Airports that are also codes of currencies.
    ("airport", ["\"ALL\"", "\"BOB\"", "\"CUP\"", "\"MOP\""]),
    ("count", ["1782900000"]),
  ])
  func `values that only resemble a format have none`(_ name: String, _ values: [String]) throws {
    let rules = try Drafting.rules(ofMember: name, values)
    #expect(!rules.contains("format"), "\(rules)")
  }

  // MARK: The version

  private func version(_ documents: [String]) throws -> String? {
    var options = DraftOptions()
    options.name = "app"
    return Drafter(try Drafting.observation(documents), options: options).rules().document["backup"]?["version"]?["pointer"]?
      .string
  }

  @Test func `the format's version is no count of a document's changes`() throws {
    #expect(try version([#"{"schemaVersion": 4, "documentVersion": 17}"#]) == "/schemaVersion")
    #expect(try version([#"{"documentVersion": 17, "version": 4}"#]) == "/version")
    #expect(try version([#"{"documentVersion": 17}"#]) == nil)
    // It is another one in each document.
    #expect(try version((1...5).map { "{\"version\": \($0 + 40)}" }) == nil)
    #expect(try version((1...5).map { "{\"version\": \($0 / 3 + 1)}" }) == "/version")
  }

  // MARK: Notes

  @Test func `notes say why there is no rule`() throws {
    let values = (0..<30).map { "{\"kind\": \"k\($0)\"}" }.joined(separator: ",")
    let notes = try Drafting.drafter(["[\(values)]"]).rules().notes
    #expect(
      notes.contains { $0.pointer == "/*/kind" && $0.message == "no enum: 30 values, 30 distinct, the rarest once" },
      "\(notes)")
  }
}
