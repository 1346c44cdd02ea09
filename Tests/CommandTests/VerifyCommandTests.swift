import TestSupport
import Testing

@Suite struct VerifyCommandTests {
  @Test func eachBackupHasItsVerdict() async throws {
    let run = try await BackupFolder.mixed().run("verify")
    #expect(run.output == Self.verdicts)
    #expect(run.errors == "")
    #expect(run.status == 3)
  }

  private static let verdicts = """
    invalid  trips_20260606-2.json: 2 errors, the first: /trips/0/id: expected integer, found a string: 'x' [type]
    valid    trips_20260606.json (trips 2, 2 records)
    damaged  trips_20260605-2.json: the document ends where ',' or ']' was expected, with 2 brackets open (line 1, column 65) [truncated]
    valid    trips_20260605.json (trips 2, 2 records)
    valid    trips_20260604.json (trips 2, 2 records)
    valid    trips_20260603.json (trips 2, 2 records)
    valid    trips_20260602.json (trips 2, 2 records)
    valid    trips_20260601.json (trips 2, 2 records)
    backups: 8 backups: 6 valid, 1 invalid, 1 damaged

    """

  @Test(
    arguments: [
      ([("a.json", #"{"version": 2, "trips": []}"#)], 0, "backups: 1 backup: 1 valid\n"),
      (
        [("a.json", #"{"version": 2, "trips": []}"#), ("b.json", #"{"version": 2, "trips": [{}]}"#)], 1,
        "backups: 2 backups: 1 valid, 1 invalid\n"
      ),
      ([("a.json", #"{"version": 9, "trips": []}"#)], 1, "backups: 1 backup: 1 newer-version\n"),
      (
        [("a.json", #"{"version": 2, "trips": [{}]}"#), ("trips_20260601.json", "")], 3,
        "backups: 2 backups: 1 invalid, 1 damaged\n"
      ),
      ([], 3, "backups: no backups found\n"), ([("a.txt", "x")], 3, "backups: no backups found, but a.txt\n"),
    ] as [([(String, String)], Int32, String)])
  func theWorstDecides(_ files: [(name: String, text: String)], _ status: Int32, _ summary: String) async throws {
    let folder = try BackupFolder()
    for file in files { try folder.write(file.text, to: file.name) }
    let run = try await folder.run("verify")
    #expect(run.status == status)
    #expect(run.output.hasSuffix(summary), "\(run.output)")
    let json = try await folder.run("verify", "--json")
    #expect(json.status == status)
    #expect(json.output.contains(#""formatVersion": 1"#))
  }
}
