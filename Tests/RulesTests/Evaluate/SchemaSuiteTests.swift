import Foundation
import Rules
import TestSupport
import Testing

/// The public test suite of JSON Schema, draft 2020-12, as far as its keywords are supported: groups with others are passed over.
@Suite struct SchemaSuiteTests {
  static let folder = Checkout.shared.appending(path: "conformance/json-schema-2020-12")
  static var isPresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static let files = [
    "additionalProperties", "allOf", "anyOf", "boolean_schema", "const", "contains", "default", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "if-then-else", "infinite-loop-detection", "items", "maxContains", "maxItems", "maxLength",
    "maximum",
    "minContains", "minItems", "minLength", "minimum", "multipleOf", "not", "oneOf", "pattern", "properties", "ref", "required",
    "type",
    "optional/bignum", "optional/float-overflow", "optional/non-bmp-regex", "optional/format/date", "optional/format/date-time",
    "optional/format/time", "optional/format/uuid",
  ]

  @Test(.enabled(if: isPresent, "the suite is not beside the repository (../shared/conformance)"), arguments: files)
  func verdictsAgree(_ name: String) throws {
    let file = Self.folder.appending(path: name + ".json")
    guard let data = try? Data(contentsOf: file) else { return }
    let groups = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    for group in groups {
      let schema = try text(of: #require(group["schema"]))
      var options = RuleDocument.Options()
      options.assertsFormats = name.contains("format/")
      for test in try #require(group["tests"] as? [[String: Any]]) {
        let document = try text(of: #require(test["data"]))
        let evaluation: Evaluation
        do {
          evaluation = try Evaluation(schema, document, assertsFormats: options.assertsFormats)
        } catch let error as RuleCompileError {
          #expect(isLimitation(error), "\(error)")
          continue
        }
        let expected = test["valid"] as? Bool
        #expect(
          evaluation.isValid == expected, "\(name): \(group["description"] ?? "") – \(test["description"] ?? ""): \(document)")
      }
    }
  }

  private func text(of value: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]), as: UTF8.self)
  }

  /// A refusal that names what is missing, rather than a wrong one.
  private func isLimitation(_ error: RuleCompileError) -> Bool {
    ["not supported yet", "only places in this document", "Coffer reads"].contains { error.message.contains($0) }
  }
}
