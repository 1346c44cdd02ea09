import ByteStreams
import JSONEvents
import Rules
import RulesYAML
import TestSupport
import Testing

/// YAML means the same as the equivalent JSON.
@Suite struct YAMLValueTests {
  static let equal: [(yaml: String, json: String)] = [
    ("a: 1", #"{"a":1}"#),
    ("- a\n- b: c\n  d:\n  - e\n-", #"["a",{"b":"c","d":["e"]},null]"#),
    (#"{"a": [1, 2.50, {"b": null}], "c": "\u00e9\/"}"#, #"{"a":[1,2.50,{"b":null}],"c":"é/"}"#),
    ("[~, null, Null, NULL, '', '~', \"null\", nil]", #"[null,null,null,null,"","~","null","nil"]"#),
    ("[true, True, TRUE, false, False, FALSE, tRUE, 'true']", #"[true,true,true,false,false,false,"tRUE","true"]"#),
    // Norway, and other words that YAML 1.1 reads as booleans.
    ("[no, NO, No, n, yes, Yes, y, on, On, off, OFF]", #"["no","NO","No","n","yes","Yes","y","on","On","off","OFF"]"#),
    // Numbers keep their text.
    ("[0, -0, 0.10, 1e400, -1.5E-7, 123456789012345678901234567890]", "[0,-0,0.10,1e400,-1.5E-7,123456789012345678901234567890]"),
    // Text that only YAML 1.1 reads as a number or a date.
    (
      "[1_000, 0b11, 1:30, 2026-01-01, 1.2.3, '12', -, --1, 1e, 0x, 0xg, +, ., 1e5x, inf, ++1]",
      """
      ["1_000","0b11","1:30","2026-01-01","1.2.3","12","-","--1","1e","0x","0xg","+",".","1e5x","inf","++1"]
      """
    ),
    ("[!!str 1, !!str true, ! 1, !!str '', !!seq [], !!map {}, ! []]", #"["1","true","1","",[],{},[]]"#),
    // Keys are strings with their literal text.
    ("1: a\ntrue: b\n~: c\n0x1F: d\n'<<': e\n\"\": f", #"{"1":"a","true":"b","~":"c","0x1F":"d","<<":"e","":"f"}"#),
    ("? a\n: b\n? c", #"{"a":"b","c":null}"#),
    // Equal only after normalisation: two keys.
    ("\u{e9}: 1\ne\u{301}: 2", "{\"\u{e9}\":1,\"e\u{301}\":2}"),
    // Text of several lines.
    (
      "a: |\n  one\n   two\n\nb: >-\n  one\n  two\n\n  three\nc: one\n  two\nd: \"one\n  two\\\n  three\"\ne: |2+\n   x\n\n",
      """
      {"a":"one\\u000a two\\u000a","b":"one two\\u000athree","c":"one two","d":"one twothree","e":" x\\u000a\\u000a"}
      """
    ),
    ("pattern: ^[0-9]+#\\d$ # a comment begins after a blank", #"{"pattern":"^[0-9]+#\\d$"}"#),
    ("a: \"\\0\\x41\\u00e9\\U0001F50B\\t\"", #"{"a":"\u0000Aé🔋\u0009"}"#),
    // Anchors.
    ("a: &x {b: [1]}\nc: *x\nd: [*x, &x 2, *x]", #"{"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]},2,2]}"#),
    ("&k a: &n\nb: *k\nc: *n", #"{"a":null,"b":"a","c":null}"#),
    ("&o [&o 1, *o]", "[1,1]"),
    // Directives and document markers.
    ("%YAML 1.2\n%TAG !e! tag:yaml.org,2002:\n--- # rules\na: !e!str 1\n...\n# the end\n", #"{"a":"1"}"#),
    ("---\n", "null"),
    ("\u{FEFF}a: 1", #"{"a":1}"#),
    ("a: 1\r\nb:\r\n  - 2\r\n", #"{"a":1,"b":[2]}"#),
  ]

  @Test(arguments: equal)
  func `YAML has the same value as the equivalent JSON`(_ yaml: String, _ json: String) throws {
    let expected = try JSONValue.read(MemorySource(json.utf8))
    #expect(try RuleSyntax.yaml.read(MemorySource(yaml.utf8)).plainText == expected.plainText)
  }

  static let placed: [(yaml: String, places: String)] = [
    ("a: 1", #"{"a"@1:1:1@1:4}@1:1"#),
    ("# é\n\nab:\n  - c\n  -  'é': {d: e}", #"{"ab"@3:1:["c"@4:5,{"é"@5:6:{"d"@5:12:"e"@5:15}@5:11}@5:6]@4:3}@3:1"#),
    // Columns are Unicode scalar values.
    ("{🔋🔋: é, e\u{301}: 2}", "{\"🔋🔋\"@1:2:\"é\"@1:6,\"e\u{301}\"@1:9:2@1:13}@1:1"),
    ("\u{FEFF}a: 1", #"{"a"@1:1:1@1:4}@1:1"#),
    ("a: 1\r\nb: 2", #"{"a"@1:1:1@1:4,"b"@2:1:2@2:4}@1:1"#),
    // Only line feeds end lines, as in JSON.
    ("a: 1\u{85}b: 2\nc: 3", #"{"a"@1:1:1@1:4,"b"@1:6:2@1:9,"c"@2:1:3@2:4}@1:1"#),
    // An empty value is placed after its colon; a value with an anchor or a tag begins with it.
    ("a:\nb: &x !!str 1\nc: |\n  t\nd: *x", #"{"a"@1:1:null@1:3,"b"@2:1:"1"@2:4,"c"@3:1:"t\u000a"@3:4,"d"@5:1:"1"@2:4}@1:1"#),
    ("--- [a,\n\n b]", #"["a"@1:6,"b"@3:2]@1:5"#),
  ]

  @Test(arguments: placed)
  func `values and keys have their line and column`(_ yaml: String, _ places: String) throws {
    #expect(try RuleSyntax.yaml.read(MemorySource(yaml.utf8)).placedText == places)
  }

  @Test func `offsets count bytes`() throws {
    let value = try RuleSyntax.yaml.read(MemorySource("\u{FEFF}é:\r\n- 🔋\n- x".utf8))
    #expect(value.offsetText == #"{"é"@3:["🔋"@10,"x"@17]@8}@3"#)
  }

  /// JSON on one line is also YAML, except for surrogates and duplicate keys: its values and places are the same.
  @Test(arguments: TestDepth.cases(everyday: 60, deep: 400) as Range<UInt64>)
  func `JSON read as YAML has the same values and places`(seed: UInt64) throws {
    let chance = RandomDocument(seed: seed, size: 1500, names: (0..<200).map { "a\($0)" })
    let text = try JSONValue.read(MemorySource(chance.bytes)).plainText
    let read: JSONValue.Located
    do {
      read = try RuleSyntax.yaml.read(MemorySource(text.utf8))
    } catch {
      #expect(error.message.contains("duplicate key"))
      return
    }
    let expected = try JSONValue.read(MemorySource(text.utf8))
    #expect(read.placedText == expected.placedText)
    #expect(read.offsetText == expected.offsetText)
  }

  @Test(arguments: [1, 2, 7, 1 << 16])
  func `chunks of any size give the same value`(size: Int) throws {
    let text = "é: [1, '🔋']\nb: |\n  c"
    let value = try RuleSyntax.yaml.read(MemorySource(text.utf8, chunkSize: size))
    #expect(value.placedText == #"{"é"@1:1:[1@1:5,"🔋"@1:8]@1:4,"b"@2:1:"c"@2:4}@1:1"#)
  }
}
