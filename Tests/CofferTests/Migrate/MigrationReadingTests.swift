import Coffer
import Testing

/// Errors in a descriptor's migrations, and their places.
@Suite struct MigrationReadingTests {
  @Test(
    arguments: [
      (#"{}"#, "/backup/migrations", "expected a list of migrations, found an object"),
      (#"[7]"#, "/backup/migrations/0", "expected an object with a list of steps"),
      (#"[{"to": 2}]"#, "/backup/migrations/0", "a migration needs a list of steps"),
      (#"[{"to": 2.5, "steps": []}]"#, "/backup/migrations/0/to", "expected an integer version"),
      (#"[{"to": 4, "steps": []}]"#, "/backup/migrations/0/to", "expected a version after 1, up to 3"),
      (
        #"[{"to": 3, "steps": []}, {"to": 2, "steps": []}]"#, "/backup/migrations/1/to",
        "expected migrations in version order: 3 came before"
      ),
      (#"[{"too": 2, "steps": []}]"#, "/backup/migrations/0/too", "unknown member 'too' in a migration; did you mean 'to'?"),
      (
        #"[{"becomes": "b", "steps": []}, {"to": 2, "steps": []}]"#, "/backup/migrations/1",
        "unreachable migration: after a migration to another format, that format's own migrations follow"
      ),
      (#"[{"to": 2, "steps": [], "when": 7}]"#, "/backup/migrations/0/when", nil),
    ] as [(String, String, String?)])
  func `each mistake in a migration is an error with its place`(migrations: String, pointer: String, message: String?) throws {
    let error = #expect(throws: CofferError.self) { try Migrating.format(migrations) }
    #expect(error?.place.pointer == pointer)
    if let message { #expect(error?.message == message) }
  }

  @Test(
    arguments: [
      (#"7"#, "", "expected an object with one of convert, default, drop, map, move, rename, scale, set, split, wrap"),
      (
        #"{"renam": "/a", "to": "b"}"#, "",
        "expected one of convert, default, drop, map, move, rename, scale, set, split, wrap; did you mean 'rename'?"
      ),
      (#"{"drop": "/a", "rename": "/a", "to": "b"}"#, "", "a step has only one operation: drop or rename"),
      (#"{"drop": "/a", "valu": 1}"#, "/valu", "unknown member 'valu' in drop"),
      (#"{"drop": "a"}"#, "/drop", "expected a JSON Pointer such as \"/cars/*/name\" ('*': every item of an array)"),
      (#"{"drop": ""}"#, "/drop", nil), (#"{"drop": 7}"#, "/drop", nil),
      (#"{"drop": "/a/*"}"#, "/drop", "drop applies to members of an object, not to items ('*')"),
      (#"{"default": "/a"}"#, "", "default needs 'value', or 'now' with a time format"),
      (#"{"default": "/a", "value": 1, "now": "date-time"}"#, "", "default needs 'value', or 'now' with a time format"),
      (
        #"{"default": "/a", "now": "date"}"#, "/now",
        "expected a time format: date-time, date-time-seconds, apple-date-time, unix-time, unix-time-ms, apple-reference-time"
      ),
      (#"{"default": "/a", "value": 1, "orNull": 1}"#, "/orNull", "expected true or false, found a number"),
      (#"{"rename": "/a"}"#, "/to", "rename needs 'to', the new name of the member, such as \"name\""),
      (#"{"map": "/a", "values": {}}"#, "/values", "map needs 'values', an object from old strings to new values"),
      (
        #"{"move": "/a/*/b", "to": "/c/*/b"}"#, "/to",
        "a value can move only within its record, or within the envelope"
      ),
      (#"{"move": "/a", "to": "/b/*/c"}"#, "/to", nil), (#"{"move": "/a/*/b", "to": "/a"}"#, "/to", nil),
      (#"{"move": "/a", "to": "/a/b"}"#, "/to", "a value can't move into itself, or replace an object that contains it"),
      (#"{"split": "/a", "pattern": "(a", "into": ["b"]}"#, "/pattern", nil),
      (#"{"split": "/a", "pattern": "(a)(?:b)", "into": ["b", "c"]}"#, "/pattern", "expected 2 groups, one per member, found 1"),
      (#"{"split": "/a", "pattern": "(a)(b)", "into": ["b", "b"]}"#, "/into", nil),
      (#"{"convert": "/a", "from": "date-time"}"#, "/to", nil),
      (#"{"scale": "/a", "by": 0}"#, "/by", "scale needs 'by', a nonzero number of up to 18 digits"),
      (#"{"scale": "/a", "by": 1234567890123456789}"#, "/by", nil),
      (#"{"wrap": "/a/b"}"#, "/wrap", "wrap needs the name of one member: \"/entries\""),
      (#"{"drop": "/a", "where": {"minItems": 1}}"#, "/where/minItems", nil),
      (
        #"{"drop": "/a", "where": {"properties": {"b": {"const": []}}}}"#, "/where/properties/b/const",
        "expected a string, number, boolean or null"
      ),
    ] as [(String, String, String?)])
  func `each mistake in a step is an error with its place`(step: String, place: String, message: String?) throws {
    let error = #expect(throws: CofferError.self) { try Migrating.format(#"[{"to": 3, "steps": [\#(step)]}]"#) }
    #expect(error?.place.pointer == "/backup/migrations/0/steps/0" + place)
    if let message { #expect(error?.message == message) }
  }

  @Test(arguments: [
    (#"{"scale": "/a", "by": 2}"#, false), (#"{"scale": "/a", "by": 2, "where": {"required": ["b"]}}"#, true),
    (#"{"convert": "/a", "from": "unix-time", "to": "unix-time-ms"}"#, false),
    (#"{"convert": "/a", "from": "unix-time", "to": "date-time"}"#, true),
    (#"{"map": "/a", "values": {"a": "b", "b": "a"}}"#, false), (#"{"map": "/a", "values": {"a": "b", "b": "b"}}"#, true),
    (#"{"map": "/a", "values": {"a": "b", "c": "c"}}"#, true), (#"{"set": "/a", "now": "date-time"}"#, false),
  ])
  func `a step of a migration without a version must be safe to repeat`(step: String, isRight: Bool) throws {
    if isRight {
      _ = try Migrating.format(#"[{"steps": [\#(step)]}]"#)
    } else {
      #expect(throws: CofferError.self) { try Migrating.format(#"[{"steps": [\#(step)]}]"#) }
    }
    _ = try Migrating.format(#"[{"to": 2, "steps": [\#(step)]}]"#)
  }
}
