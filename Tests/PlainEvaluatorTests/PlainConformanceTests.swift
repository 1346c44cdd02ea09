import ByteStreams
import Foundation
import PlainEvaluator
import Rules
import TestSupport
import Testing

/// The public test suite of JSON Schema draft 2020-12, without formats, which are annotations here.
@Suite struct PlainConformanceTests {
  static let conformance = Checkout.conformance
  static let suite = conformance.appending(path: "json-schema-2020-12")
  static let remotes = conformance.appending(path: "json-schema-2020-12-remotes")

  static let files = ["", "optional"].flatMap { folder in
    Checkout.names(in: suite.appending(path: folder)).filter { $0.hasSuffix(".json") }.map {
      folder.isEmpty ? $0 : "\(folder)/\($0)"
    }
  }.filter { !beyond.contains($0) }

  /// The unsupported parts: documents of other drafts, and vocabularies of a custom `$schema`.
  private static let beyond = ["optional/cross-draft.json", "optional/format-assertion.json"]

  /// The possible targets of references in the suite: its remotes, and the meta-schemas, which the suite doesn't have. They are
  /// read from the folder in COFFER_METASCHEMAS, which has `schema` and `meta/core`, `meta/applicator`, …
  static let documents: [String: JSONValue.Located] = {
    var documents: [String: JSONValue.Located] = [:]
    func add(_ folder: URL, _ names: [String], at base: String) {
      for name in names {
        guard let bytes = try? Data(contentsOf: folder.appending(path: name)) else { continue }
        documents[base + name] = try? JSONValue.read(MemorySource(bytes))
      }
    }
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: remotes.path())) ?? []
    add(remotes, names.filter { $0.hasSuffix(".json") && !$0.hasPrefix("draft2019") }, at: "http://localhost:1234/")
    if let folder = ProcessInfo.processInfo.environment["COFFER_METASCHEMAS"] {
      let vocabularies = ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"]
      add(URL(filePath: folder), ["schema"] + vocabularies.map { "meta/\($0)" }, at: "https://json-schema.org/draft/2020-12/")
    }
    return documents
  }()

  @Test(.enabled(if: !files.isEmpty, "JSON Schema Test Suite is missing: run Scripts/conformance.sh"), arguments: files)
  func `verdicts equal those of the public suite`(_ file: String) throws {
    let groups = try JSONValue.read(MemorySource(Data(contentsOf: Self.suite.appending(path: file))))
    for group in try #require(groups.array) {
      let schema = try #require(group["schema"])
      for test in try #require(group["tests"]?.array) {
        let name = "\(group["description"]?.string ?? "") – \(test["description"]?.string ?? "")"
        try withKnownIssue("Pattern does not follow ECMA-262 here yet", isIntermittent: true) {
          let expected = try #require(test["valid"]).boolean
          do {
            let isValid = try PlainEvaluator(schema, documents: Self.documents).isValid(#require(test["data"]))
            #expect(isValid == expected, "\(name)")
          } catch PlainError.unresolved(let reference) where reference.hasPrefix("https://json-schema.org/draft/2020-12/") {
            // The meta-schemas are missing.
          }
        } when: {
          file == "optional/ecmascript-regex.json" || name.contains("Unicode property escape")
        }
      }
    }
  }
}
