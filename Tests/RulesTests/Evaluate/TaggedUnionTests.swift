import Findings
import Rules
import Testing

/// Trees whose nodes are one of several kinds: each alternative has the same rules for the nodes below.
@Suite struct TaggedUnionTests {
  enum Union: String, CaseIterable { case oneOf, anyOf }

  private static func rules(_ union: Union, required: String = #""kind""#) -> String {
    let alternatives = ["a", "b", "c"].map { kind in
      """
      {"type": "object", "properties": {"kind": {"const": "\(kind)"}, "children": {"items": {"$ref": "#/$defs/node"}},
       "value": {"type": "integer"}}, "required": [\(required)], "additionalProperties": false}
      """
    }
    return ##"{"$ref": "#/$defs/node", "$defs": {"node": {"\##(union)": [\##(alternatives.joined(separator: ","))]}}}"##
  }

  /// Returns a chain of nodes of all kinds around a leaf.
  private static func tree(depth: Int, kindLast: Bool, leaf: String) -> String {
    var tree = leaf
    for level in 0..<depth {
      let kind = #""kind":"\#(["a", "b", "c"][level % 3])""#
      tree = kindLast ? #"{"children":[\#(tree)],\#(kind)}"# : #"{\#(kind),"children":[\#(tree)]}"#
    }
    return tree
  }

  /// If every level were evaluated once per alternative, 200 levels would never finish.
  @Test(arguments: Union.allCases, [false, true])
  func `deep trees of tagged nodes are validated`(union: Union, kindLast: Bool) throws {
    let sound = try Evaluation(Self.rules(union), Self.tree(depth: 200, kindLast: kindLast, leaf: #"{"kind":"b","value":1}"#))
    #expect(sound.isValid)
    let broken = try Evaluation(Self.rules(union), Self.tree(depth: 200, kindLast: kindLast, leaf: #"{"kind":"b","value":"1"}"#))
    #expect(broken.findings.count == 1)
    #expect(broken.findings.first?.place.pointer.hasSuffix("/children/0/value") == true)
    #expect(broken.findings.first?.message == "expected integer, found a string: '1'")
  }

  @Test(arguments: Union.allCases, [false, true])
  func `an unknown kind is one finding`(union: Union, kindLast: Bool) throws {
    let evaluation = try Evaluation(Self.rules(union), Self.tree(depth: 50, kindLast: kindLast, leaf: #"{"kind":"z"}"#))
    #expect(evaluation.findings.count == 1)
    #expect(evaluation.findings.first?.place.pointer.hasSuffix("/children/0/kind") == true)
    #expect(evaluation.findings.first?.message == "expected one of 'a', 'b', 'c', found 'z'")
  }

  /// Both alternatives match the same nodes.
  @Test func `recursive alternatives that all match violate oneOf`() throws {
    let rules =
      ##"{"$ref": "#/$defs/n", "$defs": {"n": {"oneOf": [{"items": {"$ref": "#/$defs/n"}}, {"items": {"$ref": "#/$defs/n"}}]}}}"##
    let evaluation = try Evaluation(rules, String(repeating: "[", count: 200) + String(repeating: "]", count: 200))
    #expect(!evaluation.isValid)
  }

  /// `not` and `if` have the same rules for the nodes below as the alternatives.
  @Test(arguments: [("1", true), (#""s""#, false)])
  func `branches of all kinds share their recursive checks`(leaf: String, isValid: Bool) throws {
    let rules = """
      {"$ref": "#/$defs/n", "$defs": {"n": {
        "if": {"items": {"$ref": "#/$defs/n"}}, "then": {"items": {"$ref": "#/$defs/n"}}, "else": {"items": {"$ref": "#/$defs/n"}},
        "not": {"not": {"items": {"$ref": "#/$defs/n"}}}, "type": ["array", "integer"]}}}
      """
    let document = String(repeating: "[", count: 150) + leaf + String(repeating: "]", count: 150)
    #expect(try Evaluation(rules, document).isValid == isValid)
  }

  /// A comparison with an outer field depends on the object of that field, so each alternative has its own result.
  @Test(arguments: [("5", true), ("6", false)])
  func `comparisons with outer fields stay exact`(value: String, isValid: Bool) throws {
    let rules = """
      {"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": [
        {"properties": {"kind": {"const": "a"}, "v": {"maximum": {"$data": "1/most"}}, "n": {"$ref": "#/$defs/n"}}},
        {"properties": {"kind": {"const": "b"}, "v": {"minimum": {"$data": "1/most"}}, "n": {"$ref": "#/$defs/n"}}}]}}}
      """
    let document = #"{"kind": "a", "n": {"n": {"v": \#(value), "most": 5, "kind": "a"}, "kind": "b"}}"#
    #expect(try Evaluation(rules, document).isValid == isValid)
  }
}
