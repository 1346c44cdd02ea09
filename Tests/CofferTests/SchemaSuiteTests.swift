import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

/// The public JSON Schema Test Suite for the drafts that Coffer reads: required and optional groups.
@Suite struct SchemaSuiteTests {
  struct SuiteFile: CustomTestStringConvertible, CustomStringConvertible, Sendable {
    let draft: Draft
    let name: String

    var testDescription: String { description }
    var description: String { "\(draft.rawValue)/\(name)" }
  }

  enum Draft: String, CaseIterable {
    case draft4 = "json-schema-draft4"
    case draft6 = "json-schema-draft6"
    case draft7 = "json-schema-draft7"
    case draft2019 = "json-schema-2019-09"
    case draft2020 = "json-schema-2020-12"

    var folder: URL { Checkout.conformance.appending(path: rawValue) }

    /// The name of a draft whose schemas in the suite have no `$schema`.
    private var uri: String? {
      switch self {
      case .draft4: "http://json-schema.org/draft-04/schema#"
      case .draft6: "http://json-schema.org/draft-06/schema#"
      case .draft7: "http://json-schema.org/draft-07/schema#"
      case .draft2019, .draft2020: nil
      }
    }

    var isBefore2019: Bool { uri != nil }

    /// Returns the text of a schema of the suite, with `$schema` added where the suite omits it.
    func schema(_ schema: JSONValue.Located) -> String {
      guard let uri, let members = schema.object, schema["$schema"] == nil else { return schema.text }
      let text = #""$schema": "\#(uri)""#
      return members.isEmpty ? "{\(text)}" : "{\(text), \(schema.text.dropFirst())"
    }
  }

  private static let remotes = Checkout.conformance.appending(path: "json-schema-2020-12-remotes")

  static let files = Draft.allCases.flatMap { draft in
    Checkout.files(below: draft.folder, ending: ".json").map { SuiteFile(draft: draft, name: $0) }
  }.filter { !undecided.contains("\($0)") }

  /// What the suite's drafts leave to the reader, and Coffer decides otherwise.
  private static let undecided: Set = [
    // Draft 7 lets the reader decide whether to check contents; later drafts made them annotations, as Coffer treats them.
    "json-schema-draft7/optional/content.json",
    // Draft 4 doesn't count 1.0 among the integers in languages that tell them apart; all later drafts do.
    "json-schema-draft4/optional/zeroTerminatedFloats.json",
  ]

  @Test(.enabled(if: !files.isEmpty, "JSON Schema Test Suite is missing: run Scripts/conformance.sh"), arguments: Draft.allCases)
  func `the suite has the files of every draft`(_ draft: Draft) {
    #expect(Self.files.count { $0.draft == draft } > 40, "run Scripts/conformance.sh")
  }

  @Test(
    .enabled(if: !files.isEmpty, "JSON Schema Test Suite is missing: run Scripts/conformance.sh"), arguments: files, [1, 2])
  func `verdicts agree with the suite`(_ file: SuiteFile, jobs: Int) throws {
    let groups = try JSONValue.read(try FileSource(path: FilePath(file.draft.folder.path()).appending(file.name)))
    for group in try #require(groups.array) {
      let schema = file.draft.schema(try #require(group["schema"]))
      let rules = try RuleDocument(MemorySource(schema.utf8), options: Self.options(for: file))
      for test in try #require(group["tests"]?.array) {
        let document = try #require(test["data"]).text
        let report = try Self.report(on: document, rules, jobs: jobs)
        let title = "\(group["description"]?.string ?? ""), \(test["description"]?.string ?? ""): \(document)"
        #expect(report.error == nil && report.isValid == test["valid"]?.boolean, "\(title)")
      }
    }
  }

  private static func options(for file: SuiteFile) -> RuleDocument.Options {
    var options = RuleDocument.Options()
    // The suite's other groups for drafts 4, 6 and 7 expect annotations.
    options.formats = file.name.hasPrefix("optional/format/") ? .always : file.draft.isBefore2019 ? .never : .byDialect
    options.folders = [RuleDocument.Folder(uri: "http://localhost:1234", path: FilePath(remotes.path()))]
    return options
  }

  /// Reads byte by byte, and in slices wherever possible.
  private static func report(on document: String, _ rules: RuleDocument, jobs: Int) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.execution.jobs = jobs
    options.slices?.sliceSize = 1
    options.limits.chunkSize = 1
    let validator = Validator(.document(rules, name: "suite"), options: options)
    return try validator.validate(MemorySource(document.utf8, chunkSize: 1), named: "test")
  }
}
