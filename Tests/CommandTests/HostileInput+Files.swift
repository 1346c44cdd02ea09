#if os(Linux)
  import Foundation
  import TestSupport

  /// Hostile names, JSON Lines, compressed files, archives, folders and databases.
  extension HostileInput {
    /// Control characters that drive a terminal, and characters that change the direction of text.
    private static let badName = "a\n\u{1B}[31m\u{9B}31m\u{202E}\u{2066}\t*?$(x)"

    private static let trips = """
      {"backup": {"name": "trips", "detect": "/trips", "createdAt": "/made", "version": {"pointer": "/version", "current": 1, "oldest": 1},
        "collections": {"/trips": {"key": "id"}}},
       "properties": {"version": {"type": "integer"}, "made": {"format": "date-time"},
         "trips": {"primaryKey": "id", "items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}}}
      """

    private static func backup(_ trips: String) -> String {
      #"{"version":1,"made":"2026-01-01T00:00:00Z","trips":[\#(trips)]}"#
    }

    private static func trip(_ name: String, arguments: [String], status: Int32 = 0, _ trips: @escaping @Sendable (Int) -> String)
      -> HostileInput
    {
      HostileInput(
        name: "\(name), \(arguments[0])", document: { backup(trips($0)) }, rules: { _ in Self.trips }, arguments: arguments,
        status: status)
    }

    static let files = [
      HostileInput(
        name: "a name with control characters", document: { _ in "[1,]" }, arguments: ["validate", "--syntax-only"],
        fileName: badName + ".json",
        status: 3),
      HostileInput(
        name: "the longest possible name", document: { _ in "[]" }, arguments: ["validate", "--syntax-only"],
        fileName: repeated("n", 250) + ".json"),
      HostileInput(
        name: "a folder of many files", rules: { _ in trips },
        setUp: #"""
          mkdir b; i=0
          while [ $i -lt $((size / 8000)) ]; do
            printf '{"version":1,"made":"2026-01-01T00:00:00Z","trips":[]}' > "b/$(printf 'x%d\n\033[31m\342\200\256.json' $i)"; i=$((i + 1))
          done
          """#, arguments: ["verify", "b"]),
      HostileInput(
        name: "a long line", document: { #"{"a":"\#(repeated("x", $0))"}"# }, arguments: ["validate", "--syntax-only"],
        fileName: "a.jsonl"),
      HostileInput(
        name: "a line that is too long", setUp: #"{ printf '"'; head -c 70000000 /dev/zero | tr '\0' x; printf '"'; } > a.jsonl"#,
        arguments: ["convert", "a.jsonl", "out.json"], status: 3),
      HostileInput(
        name: "many lines", document: { repeated("{}\n", $0 / 3) }, arguments: ["convert"], fileName: "a.jsonl",
        output: "out.json"),
      HostileInput(
        name: "many empty lines", document: { repeated("\n", $0) }, arguments: ["validate", "--syntax-only"], fileName: "a.jsonl"),
      HostileInput(
        name: "an LZ4 bomb",
        setUp: #"{ printf '['; head -c $((size * 15)) /dev/zero | tr '\0' ' '; printf ']'; } | "$0" compress - a.json.lz4"#,
        arguments: ["validate", "--syntax-only", "a.json.lz4"]),
      HostileInput(
        name: "a long string in LZ4",
        setUp: #"{ printf '["'; head -c $((size * 50)) /dev/zero | tr '\0' x; printf '"]'; } | "$0" compress - a.json.lz4"#,
        arguments: ["validate", "--syntax-only", "a.json.lz4"], status: TestDepth.count(everyday: 0, deep: 3)),
      HostileInput(
        name: "an archive of many entries",
        setUp: """
          python3 -c 'import zipfile; z = zipfile.ZipFile("a.zip", "w"); z.writestr("metadata.json", "{}"); \
            [z.writestr("photos/%d.jpg" % i, b"") for i in range('$size' // 400)]'
          """, arguments: ["inspect", "a.zip"], status: 1),
      HostileInput(
        name: "a ZIP bomb",
        setUp: """
          python3 -c 'import zipfile; z = zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED); \
            z.writestr("metadata.json", b" " * ('$size' * 50) + b"{}")'
          """, arguments: ["validate", "a.zip"], status: 3),
      HostileInput(
        name: "archives of every kind", setUp: "mkdir b; python3 '\(Checkout.folder.path())Tests/HostileArchives/hostile.py' b",
        arguments: ["verify", "b"], status: 3),
      trip("many members", arguments: ["import", "--into", "a.db"]) { #"{"id":1,\#(list($0 / 12) { "\"m\($0)\":\($0)" })}"# },
      trip("a long member", arguments: ["import", "--into", "a.db"]) { #"{"id":1,"n":"\#(repeated("x", $0))"}"# },
      trip("deep members", arguments: ["import", "--into", "a.db"]) { size in
        list(size / 1000) { #"{"id":\#($0),"n":\#(repeated("[", 400))\#(repeated("]", 400))}"# }
      },
      HostileInput(
        name: "many records that differ", document: { backup(list($0 / 20) { #"{"id":\#($0)}"# }) }, rules: { _ in trips },
        setUp: "sed 's/:\\([0-9]*\\)}/:9\\1}/g' a.json > b.json", arguments: ["diff", "b.json"], status: 1),
      trip("one key many times", arguments: ["import", "--into", "a.db"], status: 1) { list($0 / 9) { _ in #"{"id":1}"# } },
    ]
  }
#endif
