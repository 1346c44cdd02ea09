import Foundation
import Subprocess
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
    #expect(try await test("a.json", "--cases", "cases.json").status == 2)
    #expect(try await test("--cases", "cases.json", "--min-score", "0.5").status == 2)
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

  // MARK: Scores

  private func writeBackup() throws {
    let items = (1...30).map { "{\"id\": \($0), \"kind\": \"\($0 % 2 == 0 ? "a" : "b")\"}" }.joined(separator: ", ")
    try folder.write("{\"items\": [\(items)]}", to: "backup.json")
    try folder.write("# mine\nproperties:\n  items: {type: array, items: {required: [id]}}\n", to: "rules.yaml")
  }

  private func score(_ arguments: String...) async throws -> Command {
    try await Command(["rules", "test", "rules.yaml", "backup.json", "--now", "2026-07-01T00:00:00Z"] + arguments, in: folder)
  }

  @Test func `what rules let pass is listed, worst first`() async throws {
    try writeBackup()
    let run = try await score()
    #expect(run.status == 0 && run.errors == "")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("rules.yaml: score 0."), "\(run.output)")
    #expect(lines[1].hasPrefix("  missed  field ") && lines[1].hasSuffix("would be found by"), "\(run.output)")
    #expect(lines[2].hasPrefix("  3 of 3  /items/*/id "), "\(run.output)")
    let short = try await score("--max-findings", "2")
    #expect(short.output.contains(" more gaps\n") && short.output.split(separator: "\n").count <= 6, "\(short.output)")
    #expect(try await score("--jobs", "3").output == run.output)
    #expect(try await !score("--redact").output.contains(" → "))
  }

  @Test func `a score that is too low fails`() async throws {
    try writeBackup()
    let run = try await score("--min-score", "0.9", "--quiet")
    #expect(run.status == 1 && run.output.hasPrefix("rules.yaml: score 0."), "\(run.output)")
    #expect(run.errors == "coffer: the score is below --min-score 0.9\n")
    let enough = try await score("--min-score", "0.02", "--quiet")
    #expect(enough.status == 0 && enough.output == "")
    #expect(try await score("--min-score", "1.5").status == 2)
    #expect(try await score("--budget", "soon").status == 2)
    #expect(try await score("--output-format", "sarif").status == 2)
  }

  @Test func `JSON has all numbers, and a page the matrix`() async throws {
    struct Score: Decodable {
      struct Defect: Decodable {
        let field, kind: String
        let caught, missed, allowed: Int
      }

      let formatVersion, caught, missed, allowed, samples, budget: Int
      let score: Double
      let rules: String
      let files: [String]
      let defects: [Defect]
    }
    try writeBackup()
    let run = try await score("--json", "--report", "html=score.html")
    let score = try JSONDecoder().decode(Score.self, from: Data(run.output.utf8))
    #expect(
      score.formatVersion == 1 && score.rules == "rules.yaml" && score.files == ["backup.json"] && score.samples == 1
        && score.budget == 30)
    #expect(
      score.defects.reduce(0) { $0 + $1.caught } == score.caught && score.defects.reduce(0) { $0 + $1.missed } == score.missed)
    #expect(abs(score.score - Double(score.caught) / Double(score.caught + score.missed)) < 1e-9)
    let page = try folder.text(of: "score.html")
    #expect(page.contains("<code>/items/*/kind</code>") && page.contains(">0/3</td>") && page.hasSuffix("</html>\n"))
  }

  @Test func `a suggested patch applies, and fills the gaps`() async throws {
    try writeBackup()
    let run = try await score("--suggest", "rules.patch")
    #expect(run.status == 0 && run.errors.hasPrefix("rules.patch: "), "\(run.errors)")
    #expect(run.errors.contains(" keywords to add; apply it with git apply -p0\n"), "\(run.errors)")
    let patch = try await Subprocess.run(
      .name("git"), arguments: ["apply", "-p0", "rules.patch"], workingDirectory: folder.path, output: .string(limit: 1 << 16))
    #expect(patch.terminationStatus == .exited(0), "\(patch.standardOutput)")
    #expect(try folder.text(of: "rules.yaml").hasPrefix("# mine\n"))
    #expect(try await score().output.hasPrefix("rules.yaml: score 1.00: "))
    for wrong in [["-", "--suggest", "x"], ["backup.json", "--suggest", "-"]] {
      #expect(try await Command(["rules", "test", "rules.yaml"] + wrong, input: "{}", in: folder).status == 2)
    }
    let builtIn = try await Command(["rules", "test", "swiff", "backup.json", "--suggest", "x.patch"], in: folder)
    #expect(builtIn.status == 2 && builtIn.errors.contains("coffer formats swiff --print-rules writes one"), "\(builtIn.errors)")
  }
}
