import Coffer
import Foundation
import JSONEvents
import SystemPackage
import TestSupport
import Testing

/// The schemas of the public test suite have no errors, and each has a cost.
@Suite struct RuleCheckSuiteTests {
  private static let folder = Checkout.conformance.appending(path: "json-schema-2020-12")
  private static let remotes = RuleDocument.Folder(
    uri: "http://localhost:1234",
    path: FilePath(Checkout.conformance.appending(path: "json-schema-2020-12-remotes").path()))

  static let files = Checkout.files(below: folder, ending: ".json")

  @Test(
    .enabled(if: !files.isEmpty, "JSON Schema Test Suite is missing: run Scripts/conformance.sh"),
    arguments: TestDepth.sample(files, everyday: 4))
  func `each schema of the suite is valid and has a cost`(_ name: String) throws {
    var options = RuleDocument.Options()
    options.folders = [Self.remotes]
    let text = try Data(contentsOf: Self.folder.appending(path: name))
    let groups = try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]])
    for group in groups {
      let schema = try #require(group["schema"])
      let bytes = [UInt8](try JSONSerialization.data(withJSONObject: schema, options: .fragmentsAllowed))
      let check = RuleCheck(MemorySource(bytes), named: name, options: options)
      let title = "\(name): \(group["description"] ?? "")"
      let errors = check.report.findings.filter { $0.severity == .error }
      #expect(errors.map { "\($0.place.pointer): \($0.message)" } == [], "\(title)")
      #expect(check.isUsable, "\(title)")
    }
  }
}
