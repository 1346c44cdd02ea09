import ByteStreams
import JSONEvents
import Rules
import RulesYAML
import SystemPackage
import TestSupport
import Testing

/// A file's ending says how it is written, for the rule document and for those that it refers to.
@Suite struct RuleSyntaxTests {
  let folder: TemporaryFolder
  var options = RuleDocument.Options()

  init() throws {
    folder = try TemporaryFolder()
    options.syntaxes = [.json, .yaml]
    options.folders = [RuleDocument.Folder(uri: "http://example.org/", path: folder.path)]
  }

  @Test(arguments: ["a.yaml", "a.yml", "a.YAML"])
  func theEndingTells(name: String) throws {
    try folder.write("title: T # the title\n", to: name)
    #expect(try RuleDocument(contentsOf: folder.path.appending(name), options: options).title == "T")
  }

  @Test(arguments: ["a.json", "a", "a.txt", "yaml"])
  func anyOtherIsJSON(name: String) throws {
    try folder.write(#"{"title": "T"}"#, to: name)
    #expect(try RuleDocument(contentsOf: folder.path.appending(name), options: options).title == "T")
    try folder.write("title: T", to: name)
    #expect(throws: JSONReadError.self) { try RuleDocument(contentsOf: folder.path.appending(name), options: options) }
  }

  @Test func aSourceHasNoEnding() throws {
    #expect(try RuleDocument(MemorySource("title: T".utf8), syntax: .yaml).title == "T")
    #expect(throws: JSONReadError.self) { try RuleDocument(MemorySource("title: T".utf8), options: options) }
  }

  @Test func foldersHoldBoth() throws {
    try folder.write("$defs:\n  b: {$ref: c.json}\n", to: "b.yaml")
    try folder.write(#"{"type": "integer"}"#, to: "c.json")
    let rules = ##"{"$ref": "http://example.org/b.yaml#/$defs/b"}"##
    _ = try RuleDocument(MemorySource(rules.utf8), options: options).compiled()
    try folder.write("$defs:\n  b: {tpye: integer}\n", to: "b.yaml")
    let error = #expect(throws: RuleCompileError.self) { try RuleDocument(MemorySource(rules.utf8), options: options) }
    #expect(
      error?.description
        == "unknown keyword 'tpye'; did you mean 'type'? (http://example.org/b.yaml, /$defs/b/tpye, line 2, column 7)")
    try folder.write("$defs: [", to: "b.yaml")
    let broken = #expect(throws: RuleCompileError.self) { try RuleDocument(MemorySource(rules.utf8), options: options) }
    #expect(broken?.document == "http://example.org/b.yaml")
    #expect(broken?.message.hasPrefix("the rules are not valid YAML: ") == true)
  }
}
