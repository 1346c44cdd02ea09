import ByteStreams
import RuleDrafts
import Rules
import Testing

@Suite struct DraftTextTests {
  private static let document = #"""
    {"type": "object", "$comment": "of 3 documents", "properties": {"no": {"$comment": "a word", "enum": ["yes", "a: b", "#", "\u007f"]},
     "cars": {"foreignKeys": [{"$comment": "3 values", "fields": "a"}], "required": []}}}
    """#

  private func parsed() throws -> JSONValue.Located { try JSONValue.readRules(MemorySource(Self.document.utf8)) }

  @Test func `short JSON objects are on one line`() throws {
    #expect(
      DraftText.text(of: try parsed(), as: .json) == #"""
        {
          "type": "object",
          "$comment": "of 3 documents",
          "properties": {
            "no": { "$comment": "a word", "enum": ["yes", "a: b", "#", "\u007F"] },
            "cars": { "foreignKeys": [{ "$comment": "3 values", "fields": "a" }], "required": [] }
          }
        }

        """#)
  }

  @Test func `YAML has the comments of the rules as its own`() throws {
    #expect(
      DraftText.text(of: try parsed(), as: .yaml) == #"""
        # of 3 documents
        type: "object"
        properties:
          # a word
          "no":
            enum: ["yes", "a: b", "#", "\u007F"]
          cars:
            foreignKeys:
              # 3 values
              - {"fields": "a"}
            required: []

        """#)
  }

  @Test func `an entry of a YAML list has a line, or a line for each member if it is wide`() throws {
    let name = String(repeating: "n", count: 60)
    let wide = "{\"$comment\": \"a\", \"if\": {\"required\": [\"\(name)\"]}, \"then\": {\"required\": [\"\(name)\"]}}"
    let rules = try JSONValue.readRules(MemorySource("{\"allOf\": [\(wide), {}, {\"type\": \"null\"}]}".utf8))
    #expect(
      DraftText.text(of: rules, as: .yaml) == """
        allOf:
          # a
          - if:
              required: ["\(name)"]
            then:
              required: ["\(name)"]
          - {}
          - {"type": "null"}

        """)
  }
}
