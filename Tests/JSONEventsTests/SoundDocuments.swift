/// Valid JSON documents that cover the whole grammar.
enum SoundDocuments {
  static let all: [String] = scalars + containers + texts

  static let scalars = [
    "0", "-0", "7", "-12.50e+3", "1E400", "1e-400", "123456789012345678901234567890", "-9223372036854775808", "true", "false",
    "null",
    "\"\"", "\"a\"", " \t\r\n1\n", "\n\n\"é\" ",
  ]

  static let containers = [
    "[]", "{}", "[ ]", "{\n}", "[[],[[]],{}]", "[1,-2.5,3e0 , 4]", "[true,false,null]", #"{"a":1,"b":[true,{"c":null}],"":{}}"#,
    "[\n  1,\n  {\n    \"deep\" : [ 1.0 , \"x\" ]\n  }\n]\n", #"{"a":1,"a":2}"#, "[1\n\n,\n\n2]", "{\"a\"\n:\n1}",
  ]

  static let texts = [
    "[\"é€🔋\",\"plain\",\"\u{7F}\"]", #"["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20AC\ud83d\udd0B","\u0000x"]"#,
    "{\"k€y\":\"v\",\"\\u006b2\":\"🔋🔋\",\"x\\\\\":\"\\\\\"}", "\"" + String(repeating: "long ", count: 60) + "\"",
    "[\"" + String(repeating: "é\\n", count: 40) + "\",\"" + String(repeating: "🔋", count: 40) + "\"]",
    "[\"comma, colon: bracket] brace} quote\\\" in text\",1]", "[\"\u{FEFF}\u{FFFD}\u{10FFFF}\u{2028}\"]",
    "‹EF BB BF›{\"a\": \"é\"}",
    "‹EF BB BF›1", "‹EF BB BF›\n[]",
  ]
}
