import Coffer
import Reports
import Testing

/// Migration of the envelope and of whole collections.
@Suite struct EnvelopeMigrationTests {
  @Test(arguments: [
    // The value is before its new place, or after it.
    (
      #"{"move": "/app", "to": "/meta/app"}"#, #""app":"x","notes":[{"a":1}],"meta":{"b":2}"#,
      #""notes":[{"a":1}],"meta":{"b":2,"app":"x"}"#
    ),
    (
      #"{"move": "/app", "to": "/meta/app"}"#, #""meta":{"b":2},"notes":[{"a":1}],"app":"x""#,
      #""meta":{"b":2,"app":"x"},"notes":[{"a":1}]"#
    ),
    (#"{"move": "/app", "to": "/meta/by/app"}"#, #""notes":[],"app":"x""#, #""notes":[],"meta":{"by":{"app":"x"}}"#),
    (
      #"{"rename": "/notes", "to": "memos"}, {"default": "/memos/*/k", "value": 1}"#, #""a":0,"notes":[{}, {}],"z":0"#,
      #""a":0,"memos":[{"k":1},{"k":1}],"z":0"#
    ),
    (
      #"{"default": "/notes/*/k", "value": 1}, {"rename": "/notes", "to": "memos"}"#, #""notes":[{}, {}]"#,
      #""memos":[{"k":1},{"k":1}]"#
    ),
    (#"{"drop": "/notes"}"#, #""notes":[{}, {"a":[[]]}],"b":[1]"#, #""b":[1]"#),
    (#"{"set": "/notes", "value": []}"#, #""notes":[{}, {"a":1}],"b":[1]"#, #""notes":[],"b":[1]"#),
    (#"{"move": "/data/notes", "to": "/notes"}"#, #""data":{"notes":[{"a":1}]}"#, #""data":{},"notes":[{"a":1}]"#),
    (#"{"default": "/a/b/c/d/*/e", "value": 1}"#, #""a":{"b":{"c":{"d":[{}]}}}"#, #""a":{"b":{"c":{"d":[{"e":1}]}}}"#),
    (#"{"drop": "/settings/x"}"#, #""settings":{"x":{"y":[1, {"z":[]}]},"w":1}"#, #""settings":{"w":1}"#),
    (#"{"convert": "/at", "from": "unix-time", "to": "date-time"}"#, #""at":0"#, #""at":"1970-01-01T00:00:00Z""#),
  ])
  func `steps change members of the envelope and whole collections`(steps: String, before: String, after: String) throws {
    #expect(try Migrating.run(steps, on: before).members == after)
  }

  @Test func `a move that would reorder collections is refused`() throws {
    let format = try Migrating.format(steps: #"{"move": "/notes", "to": "/data/notes"}"#)
    #expect(
      try Migrating.migrate(#"{"notes":[1],"data":{"a":0},"b":[2]}"#, format).text
        == #"{"data":{"a":0,"notes":[1]},"b":[2],"version":3}"#)
    let error = #expect(throws: CofferError.self) { try Migrating.migrate(#"{"notes":[1],"b":[2]}"#, format) }
    #expect(error?.code == .collectionOrder)
  }

  @Test func `wrap puts a root array into an object`() throws {
    let notes = try Migrating.format("[]")
    let legacy = try BackupFormat(
      descriptor: """
        {"backup": {"name": "legacy-notes", "detect": "/*/body", "migrations": [{"becomes": "notes", "to": 3, "steps": [
          {"rename": "/*/body", "to": "text"}, {"wrap": "/notes"}, {"default": "/made", "now": "date-time-seconds"},
          {"default": "/notes/*/tags", "value": []}]}]}}
        """)
    let (text, report) = try Migrating.migrate(#"[ {"body": "a"}, {"body": "b", "tags": [1]} ]"#, nil, others: [legacy, notes])
    #expect(
      text == #"{"notes":[{"text":"a","tags":[]},{"text":"b","tags":[1]}],"made":"2026-07-01T10:00:00Z","version":3}"#)
    #expect(report.format == "legacy-notes" && report.formatAfter == "notes")
    #expect(report.versionBefore == nil && report.versionAfter == 3)
    #expect(TextReport().text(of: report, named: "a.json").hasPrefix("a.json: legacy-notes -> notes, version 3\n"))
    #expect(
      try Migrating.migrate("[]", legacy, others: [notes]).text == #"{"notes":[],"made":"2026-07-01T10:00:00Z","version":3}"#)
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1,"version":3}"#), (#"{"version":null}"#, #"{"version":3}"#), (#"{"version":1.0}"#, #"{"version":3}"#),
    (#"{"version":3.0}"#, #"{"version":3.0}"#), (#"{"a":[1],"version":2,"z":[]}"#, #"{"a":[1],"version":3,"z":[]}"#),
  ])
  func `the version is set to the target, and added if absent`(before: String, after: String) throws {
    #expect(try Migrating.migrate(before, Migrating.format(#"[{"to": 3, "steps": []}]"#)).text == after)
  }

  @Test func `an object is created for a nested version`() throws {
    let format = try BackupFormat(
      descriptor: #"{"backup": {"name": "n", "version": {"pointer": "/meta/v", "current": 1, "ifAbsent": 1}, "migrations": []}}"#)
    #expect(try Migrating.migrate(#"{"a":1}"#, format).text == #"{"a":1,"meta":{"v":1}}"#)
    let error = #expect(throws: CofferError.self) { try Migrating.migrate(#"{"meta":7}"#, format) }
    #expect(error?.code == .noVersion)
  }
}
