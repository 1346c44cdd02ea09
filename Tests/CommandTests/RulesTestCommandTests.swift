import Foundation
import TestSupport
import Testing

@Suite struct RulesTestCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"properties": {"id": {"type": "integer"}}}"#, to: "rules.json")
    try folder.write(
      """
      document: {id: 1}
      cases:
        - name: as it is
          valid: true
        - name: a text
          set: {/id: x}
          findings: []
      """, to: "cases.yaml")
    try folder.write(#"{"document": {"id": 1}, "cases": [{"name": "as it is", "valid": true}]}"#, to: "cases.json")
  }

  private func test(_ arguments: String...) async throws -> Command {
    try await Command(["rules", "test", "rules.json"] + arguments, in: folder)
  }

  @Test func `failures are findings in the cases`() async throws {
    let run = try await test("--cases", "cases.yaml", "--cases", "cases.json")
    #expect(run.status == 1 && run.errors == "")
    #expect(
      run.output.hasPrefix(
        "cases.yaml:5:5: error: a text: unexpected type at /id: expected integer, found a string: 'x' [case]\n    /cases/1, byte 64\n"
      ),
      "\(run.output)")
    #expect(run.output.hasSuffix("cases.yaml: 1 of 2 cases fails\ncases.json: 1 case passes\n"), "\(run.output)")
    let passes = try await test("--cases", "cases.json")
    #expect(passes.status == 0 && passes.output == "cases.json: 1 case passes\n")
    #expect(try await test("--cases", "cases.json", "--quiet").output == "")
  }

  @Test func `JUnit has a test case for each case`() async throws {
    let run = try await test("--cases", "cases.yaml", "--report", "junit=tests.xml")
    #expect(run.status == 1)
    let text = try folder.text(of: "tests.xml")
    #expect(text.contains(#"<testcase classname="cases.yaml" name="case as it is" assertions="1"/>"#), "\(text)")
    #expect(text.contains(#"<testcase classname="cases.yaml" name="case a text" assertions="1">"#), "\(text)")
    #expect(text.contains(#"failures="1" errors="0" skipped="0""#), "\(text)")
  }

  @Test func `wrong cases and rules are named`() async throws {
    try folder.write("cases:\n  - name: a\n    vlid: true\n", to: "wrong.yaml")
    let wrong = try await test("--cases", "wrong.yaml")
    #expect(wrong.status == 2 && wrong.errors.hasPrefix("coffer: wrong.yaml:3:5: unknown member 'vlid'"), "\(wrong.errors)")
    let missing = try await test("--cases", "missing.yaml")
    #expect(missing.status == 3 && missing.errors.contains("missing.yaml"), "\(missing.errors)")
    #expect(try await test().status == 2)
    #expect(try await Command("rules", "test", "none", "--cases", "cases.json", in: folder).status == 2)
  }

  /// The formats that come with Coffer, beside the exports of the apps.
  @Test(arguments: Checkout.names(in: Checkout.fixtures.appending(path: "RuleCases")))
  func `the cases of a built-in format pass`(_ name: String) async throws {
    let format = String(name.dropLast(".yaml".count))
    let path = Checkout.fixtures.appending(path: "RuleCases/\(name)").path(percentEncoded: false)
    let run = try await Command("rules", "test", format, "--cases", path, in: folder)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }
}
