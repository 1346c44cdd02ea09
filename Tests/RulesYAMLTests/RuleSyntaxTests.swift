import ByteStreams
import JSONEvents
import Rules
import RulesYAML
import SystemPackage
import TestSupport
import Testing

/// The file name extension determines the syntax of a rule document and of the documents that it refers to.
@Suite struct RuleSyntaxTests {
  let folder: TemporaryFolder
  var options = RuleDocument.Options()

  init() throws {
    folder = try TemporaryFolder()
    options.syntaxes = [.json, .yaml]
    options.folders = [RuleDocument.Folder(uri: "http://example.org/", path: folder.path)]
  }

  @Test(arguments: ["a.yaml", "a.yml", "a.YAML"])
  func `a file with the extension yaml or yml is read as YAML`(name: String) throws {
    try folder.write("title: T # the title\n", to: name)
    #expect(try RuleDocument(contentsOf: folder.path.appending(name), options: options).title == "T")
  }

  @Test(arguments: ["a.json", "a", "a.txt", "yaml"])
  func `a file with any other extension is read as JSON`(name: String) throws {
    try folder.write(#"{"title": "T"}"#, to: name)
    #expect(try RuleDocument(contentsOf: folder.path.appending(name), options: options).title == "T")
    try folder.write("title: T", to: name)
    #expect(throws: CofferError.self) { try RuleDocument(contentsOf: folder.path.appending(name), options: options) }
  }

  @Test func `a source without a syntax is read as JSON`() throws {
    #expect(try RuleDocument(MemorySource("title: T".utf8), syntax: .yaml).title == "T")
    #expect(throws: CofferError.self) { try RuleDocument(MemorySource("title: T".utf8), options: options) }
  }

  @Test func `a folder may have documents in both syntaxes`() throws {
    try folder.write("$defs:\n  b: {$ref: c.json}\n", to: "b.yaml")
    try folder.write(#"{"type": "integer"}"#, to: "c.json")
    let rules = ##"{"$ref": "http://example.org/b.yaml#/$defs/b"}"##
    _ = try RuleDocument(MemorySource(rules.utf8), options: options).compiled()
    try folder.write("$defs:\n  b: {tpye: integer}\n", to: "b.yaml")
    let error = #expect(throws: CofferError.self) { try RuleDocument(MemorySource(rules.utf8), options: options) }
    #expect(
      error?.description
        == "unknown keyword 'tpye'; did you mean 'type'? (http://example.org/b.yaml, /$defs/b/tpye, line 2, column 7)")
    try folder.write("$defs: [", to: "b.yaml")
    let broken = #expect(throws: CofferError.self) { try RuleDocument(MemorySource(rules.utf8), options: options) }
    #expect(broken?.place.document == "http://example.org/b.yaml")
    #expect(broken?.message.hasPrefix("not valid YAML: ") == true)
  }
}
