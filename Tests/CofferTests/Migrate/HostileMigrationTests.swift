import TestSupport
import Testing

@testable import Coffer

/// Broken or oversized input is an error or stays unchanged.
@Suite struct HostileMigrationTests {
  private static let steps = """
    {"default": "/notes/*/a", "value": 1}, {"rename": "/notes/*/b", "to": "c"}, {"map": "/notes/*/d", "values": {"x": "y"}},
    {"convert": "/notes/*/e/*", "from": "unix-time", "to": "date-time"}, {"scale": "/notes/*/f", "by": 3},
    {"move": "/notes/*/g/h", "to": "/notes/*/i/j"}, {"split": "/notes/*/k", "pattern": "(.)(.)", "into": ["l", "m"]}, {"drop": "/n/o"}
    """

  @Test(arguments: [
    #"1e400"#, #"-0"#, #"9223372036854775808"#, #"0.1000000000000000055511151231257827021181583404541015625"#, #"1E+2"#,
    #""\u0000\ud83d\ude00\/""#, #"{"":{"":[]}}"#, #"[[[[[[]]]]]]"#,
  ])
  func `unknown members keep their text`(value: String) throws {
    let members = #""unknown":\#(value),"notes":[{"unknown":\#(value),"a":0},\#(value)]"#
    let (after, _) = try Migrating.run(#"{"default": "/notes/*/a", "value": 1}"#, on: members)
    // An object among the records is a record.
    let record = value.hasPrefix("{") ? value.dropLast() + #","a":1}"# : value[...]
    #expect(after == #""unknown":\#(value),"notes":[{"unknown":\#(value),"a":0},\#(record)]"#)
  }

  @Test(arguments: [
    #"{"version":1,"notes":[{"a":1},{"b":}]}"#, #"{"version":1,"notes":[{"a":1},{"b":2]}"#, #"{"version":1,"notes":[{"a":1}"#,
    #"{"version":1,"notes":[{"a":1},,{"b":2}]}"#, "{\"version\":1,\"notes\":[{\"a\":\"\u{1}\"}]}",
    #"{"version":1,"notes":[{}]} x"#,
    #"{"version":1,"notes":[{"a":01}],"n":{"o":[}}"#, #"{"version":1,"notes":["\ud800"]}"#, "", "  ",
  ])
  func `a broken document gives the same error as a conversion`(text: String) throws {
    let format = try Migrating.format(steps: Self.steps)
    var slices = Slicer.Options()
    slices.sliceSize = 8
    for cut in [slices, nil] {
      let expected = #expect(throws: CofferError.self) {
        var sink = MemorySink()
        _ = try Converter().convert(MemorySource(text.utf8), to: &sink)
      }
      let found = #expect(throws: CofferError.self) {
        try Migrating.migrate(text, format) {
          $0.slices = cut
          $0.execution.jobs = 2
        }
      }
      #expect(found == expected)
    }
  }

  @Test func `a document truncated anywhere is an error`() throws {
    let format = try Migrating.format(steps: Self.steps)
    let text = #"{"version":1,"notes":[{"b":[1],"d":"x","e":[1.5],"f":2},{"g":{"h":1},"k":"ab"}],"n":{"o":null}}"#
    for length in 0..<text.utf8.count {
      #expect(throws: CofferError.self) { try Migrating.migrate(Array(text.utf8.prefix(length)), format) }
    }
    #expect(
      try Migrating.migrate(text, format).text
        == #"{"version":3,"notes":[{"c":[1],"d":"y","e":["1970-01-01T00:00:01.5Z"],"f":6,"a":1},{"g":{},"a":1,"i":{"j":1},"l":"a","m":"b"}],"n":{}}"#
    )
  }

  @Test func `a second migration of a random document changes nothing`() throws {
    let format = try Migrating.format(steps: Self.steps)
    var random = SeededRandom(seed: 77)
    let values = [
      "null", "true", "1", "-0", "1e999", #""x""#, #""ab""#, "[]", "{}", #"{"h":1}"#, #"{"h":{"j":2}}"#, "[1,[2],{}]",
      #"{"j":null}"#,
    ]
    let names = ["a", "b", "c", "d", "e", "f", "g", "i", "k", "l", "\\u0061"]
    for _ in TestDepth.cases(everyday: 60, deep: 300) {
      let records = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        let members = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
          #""\#(names.randomElement(using: &random) ?? "")":\#(values.randomElement(using: &random) ?? "")"#
        }
        return "{\(members.joined(separator: ","))}"
      }
      let text = #"{"notes":[\#(records.joined(separator: ","))],"n":\#(values.randomElement(using: &random) ?? "")}"#
      let once = try Migrating.migrate(text, format).text
      let twice = try Migrating.migrate(once, format)
      #expect(twice.text == once && !twice.report.hasChanged)
    }
  }

  @Test(arguments: [true, false])
  func `a record over the size limit is an error only if a step applies to it`(isCut: Bool) throws {
    let record = #"{"x":"\#(String(repeating: "y", count: 5000))"}"#
    let text = #"{"version":1,"notes":[{},\#(record)],"other":[{},\#(record)]}"#
    func migrate(_ steps: String) throws -> String {
      try Migrating.migrate(text, Migrating.format(steps: steps)) { options in
        options.heldSize = 4096
        options.limits.chunkSize = 512
        var slices = Slicer.Options()
        slices.sliceSize = 16
        options.slices = isCut ? slices : nil
      }.text
    }
    #expect(try migrate(#"{"drop": "/none"}"#) == text.replacing(#""version":1"#, with: #""version":3"#))
    let error = #expect(throws: CofferError.self) { try migrate(#"{"drop": "/notes/*/z"}"#) }
    #expect(error?.code == .sizeLimit)
    #expect(error?.message.hasPrefix("the record at line 1 is larger than") == true)
  }

  @Test func `an envelope over the size limit is an error`() throws {
    let members = (0..<200).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
    let error = #expect(throws: CofferError.self) {
      try Migrating.migrate("{\(members)}", Migrating.format(steps: "")) { $0.heldSize = 4096 }
    }
    #expect(error?.code == .sizeLimit)
  }

  @Test func `deeply nested values are migrated unchanged`() throws {
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    let (text, _) = try Migrating.run(
      #"{"default": "/notes/*/a", "value": 1}"#, on: #""notes":[{"d":\#(deep)}],"n":{"x":{"y":\#(deep)}}"#)
    #expect(text == #""notes":[{"d":\#(deep),"a":1}],"n":{"x":{"y":\#(deep)}}"#)
  }

  @Test func `duplicate names in the envelope are left alone`() throws {
    let (text, counts) = try Migrating.run(
      #"{"set": "/a/b", "value": 2}, {"default": "/notes/*/c", "value": 1}"#,
      on: #""a":{"b":1},"a":{"b":1},"notes":[{}],"notes":[{}]"#)
    #expect(text == #""a":{"b":1},"a":{"b":1},"notes":[{}],"notes":[{}]"#)
    #expect(counts == ["0 1", "0 1"])
  }

  /// Searching for each one from the first member would take hours.
  @Test func `dropping a member that occurs very often takes linear time`() throws {
    let others = (0..<200_000).map { #""\#($0)":0"# }.joined(separator: ",")
    let dropped = String(repeating: #","x":1"#, count: 200_000)
    let (text, counts) = try Migrating.run(#"{"drop": "/n/x"}"#, on: #""n":{"x":0,\#(others)\#(dropped)},"notes":[]"#)
    #expect(text == #""n":{\#(others)},"notes":[]"#)
    #expect(counts == ["1 0"])
  }

  @Test(arguments: [
    (#""x":1"#, ""), (#""x":1,"x":2"#, ""), (#""x":1,"a":2"#, #""a":2"#), (#""a":1,"x":2"#, #""a":1"#),
    (#""a":1,"x":2,"x":3,"b":4,"x":5"#, #""a":1,"b":4"#),
  ])
  func `a member is added correctly after others are dropped`(before: String, after: String) throws {
    let (text, _) = try Migrating.run(#"{"drop": "/n/x"}, {"set": "/n/new", "value": 7}"#, on: #""n":{\#(before)}"#)
    #expect(text == #""n":{\#(after.isEmpty ? "" : after + ",")"new":7}"#)
  }

  @Test func `a source that changes between two readings is an error`() throws {
    let format = try Migrating.format(steps: Self.steps)
    var texts = [#"{"version":1,"notes":[1]}"#, #"{"version":1,"notes":[1],"more":[2]}"#]
    let error = #expect(throws: CofferError.self) {
      var sink = MemorySink()
      try Migrator(FormatCatalog([]), format: format, options: MigrationOptions(now: Migrating.now))
        .migrate(OpenedBackup(named: "") { MemorySource(texts.removeFirst().utf8) }, to: &sink)
    }
    #expect(error?.code == .inputChanged)
  }
}
