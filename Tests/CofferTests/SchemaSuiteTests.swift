import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

/// The public test suite of JSON Schema, draft 2020-12: its required groups and its optional ones, as far as they are beside the repository.
@Suite struct SchemaSuiteTests {
  private static let folder = Checkout.shared.appending(path: "conformance/json-schema-2020-12")
  private static let remotes = Checkout.shared.appending(path: "conformance/json-schema-2020-12-remotes")

  static let files = Checkout.files(below: folder, ending: ".json")

  @Test(
    .enabled(if: !files.isEmpty, "the suite is not beside the repository (../shared/conformance)"), arguments: files, [1, 2])
  func verdictsAgree(_ name: String, jobs: Int) throws {
    let groups = try JSONValue.read(try FileSource(path: FilePath(Self.folder.path()).appending(name)))
    for group in try #require(groups.array) {
      let schema = try #require(group["schema"])
      let rules = try RuleDocument(MemorySource(schema.text.utf8), options: Self.options(for: name))
      for test in try #require(group["tests"]?.array) {
        let document = try #require(test["data"]).text
        let report = try Self.report(on: document, rules, jobs: jobs)
        let title = "\(group["description"]?.string ?? ""), \(test["description"]?.string ?? ""): \(document)"
        #expect(report.error == nil && report.isValid == test["valid"]?.boolean, "\(title)")
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
