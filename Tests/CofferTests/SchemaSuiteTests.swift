import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

/// The public test suite of JSON Schema, draft 2020-12: its required and its optional groups.
@Suite struct SchemaSuiteTests {
  private static let folder = Checkout.conformance.appending(path: "json-schema-2020-12")
  private static let remotes = Checkout.conformance.appending(path: "json-schema-2020-12-remotes")

  static let files = Checkout.files(below: folder, ending: ".json")

  @Test(
    .enabled(if: !files.isEmpty, "JSON Schema Test Suite is missing: Scripts/conformance.sh brings it"), arguments: files, [1, 2])
  func verdictsAgree(_ name: String, jobs: Int) throws {
    let groups = try JSONValue.read(try FileSource(path: FilePath(Self.folder.path()).appending(name)))
    for group in try #require(groups.array) {
      let schema = try #require(group["schema"])
      let rules = try RuleDocument(MemorySource(schema.text.utf8), options: Self.options(for: name))
      for test in try #require(group["tests"]?.array) {
        let document = try #require(test["data"]).text
        let report = try Self.report(on: document, rules, jobs: jobs)
        let title = "\(group["description"]?.string ?? ""), \(test["description"]?.string ?? ""): \(document)"
        withKnownIssue("RFC 6531 takes a domain's labels as U-labels, which RFC 5890 requires to be in NFC") {
          #expect(report.error == nil && report.isValid == test["valid"]?.boolean, "\(title)")
        } when: {
          test["description"]?.string == "a domain label that is not in Unicode NFC is valid"
        }
      }
    }
  }

  private static func options(for name: String) -> RuleDocument.Options {
    var options = RuleDocument.Options()
    options.assertsFormats = name.hasPrefix("optional/format/")
    options.folders = [RuleDocument.Folder(uri: "http://localhost:1234", path: FilePath(remotes.path()))]
    return options
  }

  /// Byte by byte, and cut into slices wherever that is possible.
  private static func report(on document: String, _ rules: RuleDocument, jobs: Int) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.jobs = jobs
    options.slices?.sliceSize = 1
    options.limits.chunkSize = 1
    var validator = Validator(.document(rules, name: "suite"), options: options)
    return try validator.validate(MemorySource(document.utf8, chunkSize: 1), named: "test")
  }
}
