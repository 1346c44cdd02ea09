#if os(Linux)
  import TestSupport
  import Testing

  /// A record longer than a slice takes at most five times its length in an import and four times elsewhere
  /// (docs/how-it-works.md).
  @Suite struct LargeRecordTests {
    private static let length = 24_000_000

    /// A limit in KiB for `ulimit -d`: the memory of a run without the record, plus `times` the record.
    private static func limit(_ times: Int) -> Int { 50_000 + times * length / 1000 }

    private static let rules = """
      {"title": "Trips", "backup": {"name": "trips", "detect": "/trips", "collections": {"/trips": {"key": "id"}}}, "type": "object",
       "properties": {"trips": {"type": "array", "items": {"type": "object", "properties": {
         "id": {"type": "integer"}, "notes": {"type": "string"}, "places": {"type": "array"}}}}}}
      """

    /// A string, a column of JSON, and unknown members, one of which has known names in it.
    @Test(arguments: ["notes", "places", "new", "nested"])
    func `a large record takes at most five times its length in memory`(member: String) async throws {
      let folder = try TemporaryFolder()
      try folder.write(Self.rules, to: "rules.json")
      let (start, piece, end) =
        switch member {
        case "notes": ("\"", "aaaaaaaa", "\"")
        case "nested": ("[", #"{"id":1},"#, "0]")
        default: ("[", "1234567,", "0]")
        }
      let value = start + String(repeating: piece, count: Self.length / piece.utf8.count) + end
      try folder.write("{\"trips\":[{\"id\":1,\"\(member)\":\(value)}]}", to: "a.json")
      let script = """
        (ulimit -d \(Self.limit(4)) && "$0" validate a.json --rules rules.json) &&
        (ulimit -d \(Self.limit(5)) && "$0" import a.json --into a.db --rules rules.json) &&
        (ulimit -d \(Self.limit(4)) && "$0" export a.db b.json --rules rules.json) &&
        cmp a.json b.json
        """
      let run = try await Command(script: script, in: folder)
      #expect(run.status == 0, "\(run.errors.prefix(1000))")
    }
  }
#endif
