import Testing

@testable import CofferCommand

@Suite struct PathPatternTests {
  private static let matches: [(pattern: String, path: String, isMatch: Bool)] = [
    ("*.json", "a.json", true), ("*.json", "x/y/a.json", true), ("*.json", "a.json.lz4", false),
    ("exports/*.json", "exports/a.json", true), ("exports/*.json", "exports/x/a.json", false),
    ("exports/*.json", "x/exports/a.json", false),
    ("exports/**", "exports/a.json", true), ("exports/**", "exports/x/y/a.json", true), ("exports/**", "other/a.json", false),
    ("**/a.json", "a.json", true), ("**/a.json", "x/y/a.json", true),
    ("x/**/a.json", "x/a.json", true), ("x/**/a.json", "x/y/z/a.json", true), ("x/**/a.json", "y/a.json", false),
    ("x/**/y/*.json", "x/y/1/y/a.json", true), ("x/**/y/*.json", "x/y/1/a.json", false),
    ("a?.json", "ab.json", true), ("a?.json", "a.json", false), ("a?.json", "aé.json", true),
    ("*a*b*", "xaxbx", true), ("*a*b*", "xbxax", false), ("*", ".hidden", true),
    ("a+b.json", "a+b.json", true), ("a.json", "aXjson", false), ("A.json", "a.json", false),
  ]

  @Test(arguments: matches) func `a pattern is compared name by name`(pattern: String, path: String, isMatch: Bool) throws {
    #expect(try PathPattern(pattern).matches(path.split(separator: "/").map(String.init)) == isMatch)
  }

  @Test(arguments: [
    ("", "a pattern can't be empty"), ("exports/", "exports/** is about those in this folder"),
    ("/exports/a.json", "in the folder of coffer.yaml"), ("../a.json", "in the folder of coffer.yaml"),
    ("./a.json", "in the folder of coffer.yaml"), ("x//a.json", "two slashes in a row"), ("!a.json", "only *, ** and ?"),
    ("[ab].json", "only *, ** and ?"), ("{a,b}.json", "only *, ** and ?"), ("a\\*.json", "only *, ** and ?"),
  ])
  func `what has no meaning here is refused`(pattern: String, reason: String) {
    let error = #expect(throws: InvalidPattern.self) { try PathPattern(pattern) }
    #expect(error?.message.contains(reason) == true)
  }

  /// A pattern matcher that tried all combinations would take years.
  @Test func `many stars take no time out of proportion`() throws {
    let pattern = try PathPattern(String(repeating: "*a", count: 5000) + "/" + String(repeating: "**/", count: 5000) + "x")
    #expect(!pattern.matches([String(repeating: "a", count: 4000)] + Array(repeating: "y", count: 2000)))
  }
}
