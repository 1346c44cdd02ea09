import ByteStreams
import Testing

@testable import Rules

@Suite struct DraftLifetimeTests {
  /// Drafts refer to their parents and children, and recursive rules form cycles.
  @Test(arguments: [
    #"{"properties": {"a": {"items": {"type": "string"}}}}"#, ##"{"items": {"$ref": "#"}}"##,
    ##"{"patternProperties": {"^a": {"$ref": "#"}}, "propertyNames": {"pattern": "a"}}"##,
    ##"{"properties": {"a": {"$ref": "#"}}, "not": {"$ref": "#"}}"##,
  ])
  func `no draft outlives its compiler whether or not the rules compile`(rules: String) throws {
    let document = try RuleDocument(MemorySource(rules.utf8))
    weak var draft: StateDraft?
    do {
      let compiler = RuleCompiler(document, watching: [])
      _ = try? compiler.compile()
      draft = compiler.order.first
      #expect(draft != nil)
    }
    #expect(draft == nil)
  }
}
