#if os(Linux)
  import TestSupport
  import Testing

  /// Input built to exhaust memory or time, and the command that must handle it.
  struct HostileInput: CustomTestStringConvertible, Sendable {
    let name: String
    /// Returns a document of about `size` bytes.
    var document: (@Sendable (_ size: Int) -> String)?
    /// Returns rules of about `size` bytes: they are smaller, because compiled rules take a hundred times their size.
    var rules: (@Sendable (_ size: Int) -> String)?
    /// A shell script that runs first, without limits; `$0` is the command, `$size` about the number of bytes to make.
    var setUp = ":"
    var arguments = ["validate"]
    var fileName = "a.json"
    var rulesName = "rules.json"
    var output: String?
    var status: Int32 = 0

    var testDescription: String { name }

    static let size = TestDepth.count(everyday: 150_000, deep: 8_000_000)
    static let rulesSize = TestDepth.count(everyday: 40_000, deep: 1_500_000)

    static func repeated(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: max(0, count)) }

    static func list(_ count: Int, _ item: (Int) -> String) -> String { (0..<count).map(item).joined(separator: ",") }

    /// Runs the command.
    func run() async throws -> Command {
      let (folder, inputs) = try files()
      return try await Self.limited(arguments + inputs + (output.map { [$0] } ?? []), after: setUp, in: folder)
    }

    /// True if text has characters that drive a terminal or change the direction of text.
    static func drivesTerminal(_ text: String) -> Bool {
      text.unicodeScalars.contains { $0 != "\n" && [.control, .format].contains($0.properties.generalCategory) }
    }

    /// Checks only the rules.
    func checkRules() async throws -> Command {
      try await Self.limited(["rules", "check", rulesName], after: ":", in: files().folder)
    }

    private func files() throws -> (folder: TemporaryFolder, arguments: [String]) {
      let folder = try TemporaryFolder()
      var arguments: [String] = []
      if let rules {
        try folder.write(rules(Self.rulesSize), to: rulesName)
        arguments += ["--rules", rulesName]
      }
      if let document {
        try folder.write(document(Self.size), to: fileName)
        arguments += ["--", fileName]
      }
      return (folder, arguments)
    }

    /// Runs the command within 300 MB and 20 seconds of CPU time.
    private static func limited(_ arguments: [String], after setUp: String, in folder: TemporaryFolder) async throws -> Command {
      try await Command(
        script: #"""
          size=\#(size)
          { \#(setUp)
          } || exit 98
          ulimit -t 20; ulimit -d 300000
          "$0" "$@" > report
          status=$?
          head -c 1000000 report
          # What is said of a document is bounded, too.
          test "$(wc -c < report)" -lt 33554432 || exit 99
          exit $status
          """#, arguments, in: folder)
    }
  }
#endif
