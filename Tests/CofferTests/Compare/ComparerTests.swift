import Reports
import Testing

@testable import Coffer

@Suite struct ComparerTests {
  private let format: BackupFormat

  init() throws { format = try BackupFormat(descriptor: RandomPair.descriptor) }

  private func difference(
    _ old: String, _ new: String, _ change: (inout ComparisonOptions) -> Void = { _ in }
  ) throws -> BackupDifference {
    var options = ComparisonOptions()
    options.keys = RandomPair.keys(in: old, new)
    change(&options)
    return try Comparer(.format(format), options: options)
      .difference(from: Backup(bytes: Array(old.utf8), named: "a.json"), to: Backup(bytes: Array(new.utf8), named: "b.json"))
  }

  @Test(arguments: [
    ("1.0", "1"), ("1e2", "100"), ("-0", "0"), ("0.10", "1e-1"), ("9007199254740993", "9007199254740993.0"), ("1e400", "10e399"),
    (#""\u0041\/""#, #""A/""#), (#"{"a": 1, "b": 2}"#, #"{"b": 2.0, "a": 1}"#), ("[1, 2]", " [ 1 , 2.0 ] "),
    ("12345678901234567890", "1234567890123456789e1"),
  ])
  func `equal values are the same however they are written`(old: String, new: String) throws {
    for text in [#"{"people": [{"id": 1, "x": VALUE}]}"#, #"{"notes": [VALUE]}"#, #"{"x": VALUE}"#] {
      #expect(try difference(text.replacing("VALUE", with: old), text.replacing("VALUE", with: new)).isSame)
    }
  }

  @Test(arguments: [
    ("9007199254740993", "9007199254740992"), ("1", "\"1\""), ("0", "false"), ("null", "0"), ("1e400", "1e401"),
    ("[1, 2]", "[2, 1]"), ("[]", "{}"),
    ("\"é\"", "\"e\u{301}\""), ("0.1", "0.10000000000000001"), ("1e3000000000000", "1e2000000000000"), (#"[[1], 2]"#, "[[1, 2]]"),
    ("\"\"", "null"),
  ])
  func `values that differ in the least are different`(old: String, new: String) throws {
    for text in [#"{"people": [{"id": 1, "x": VALUE}]}"#, #"{"notes": [VALUE]}"#, #"{"x": VALUE}"#] {
      #expect(try !difference(text.replacing("VALUE", with: old), text.replacing("VALUE", with: new)).isSame)
    }
    #expect(try !difference(#"{"people": [{"id": 1, "x": null}]}"#, #"{"people": [{"id": 1}]}"#).isSame)
  }

  @Test func `records without a key are shown with their content`() throws {
    let difference = try difference(
      #"{"notes": [{"a": 1.50}, "x", 7], "gone": [1]}"#, #"{"notes": ["x", {"a": 2}, 7, 7], "new": "\u0061"}"#)
    let notes = try #require(difference.collections.first { $0.pointer == "/notes" })
    #expect(notes.changes.map(\.content) == [#"{"a": 1.50}"#, #"{"a": 2}"#, "7"])
    #expect(notes.changes.map(\.fields.first?.old) == [#"{"a": 1.50}"#, nil, nil])
    #expect(difference.envelope.changes.map(\.content) == ["[1]", "\"a\""])
    let text = TextReport().text(of: difference)
    #expect(text.contains("  - /notes/0\n      {\"a\": 1.50}\n  + /notes/1\n      {\"a\": 2}\n  + /notes/3\n      7\n"))
  }

  @Test func `changes are shown field by field, with both places`() throws {
    let old = #"{"people": [{"id": 1, "a": {"b~/": [1, {"c": 12.50}]}, "gone": null}, {"id": "x"}], "metadata": {"device": "A"}}"#
    let new =
      #"{"metadata": {"device": "B"}, "people": [{"id": 2}, {"a": {"b~/": [1.0, {"c": 12.75}, true]}, "id": 1}], "more": [1]}"#
    let difference = try difference(old, new)
    let people = difference.collections[0]
    #expect(people.changed == 1 && people.removed == 1 && people.added == 1 && people.same == 0)
    #expect(people.changes.map(\.kind) == [.changed, .removed, .added])
    #expect(people.changes.map(\.key) == ["1", "\"x\"", "2"])
    #expect(people.changes[0].old == .init(pointer: "/people/0", offset: 12))
    #expect(people.changes[0].new?.pointer == "/people/1")
    #expect(
      people.changes[0].fields == [
        FieldChange(pointer: "/a/b~0~1/1/c", old: "12.50", new: "12.75"),
        FieldChange(pointer: "/a/b~0~1/2", old: nil, new: "true"),
        FieldChange(pointer: "/gone", old: "null", new: nil),
      ])
    #expect(difference.envelope.changes.map { $0.old?.pointer ?? $0.new?.pointer ?? "" } == ["/metadata", "/more"])
    #expect(difference.envelope.changes[0].fields == [FieldChange(pointer: "/device", old: "\"A\"", new: "\"B\"")])
  }

  @Test func `the details of changes are limited, and counts stay exact`() throws {
    func document(_ value: Int) -> String {
      "{\"people\": [\((0..<500).map { "{\"id\": \($0), \"x\": \(value)}" }.joined(separator: ","))]}"
    }
    let few = try difference(document(1), document(2)) { $0.maximumChanges = 3 }.collections[0]
    #expect(few.changed == 500 && few.notShown == 497)
    #expect(few.changes.map { $0.old?.pointer } == ["/people/0", "/people/1", "/people/2"])
    #expect(try difference(document(1), document(2)) { $0.maximumChanges = 0 }.collections[0].changes.isEmpty)
    let long = try difference(
      #"{"people": [{"id": 1}]}"#, "{\"people\": [{\"id\": 1, \"x\": \"\(String(repeating: "y", count: 2_000_000))\"}]}")
    #expect(long.collections[0].changes.first?.fieldsNotShown == nil)
    #expect(long.collections[0].changes.first?.fields.isEmpty == true)
  }

  @Test func `a duplicate key is reported, and its records are compared as wholes`() throws {
    let old = #"{"people": [{"id": 1, "x": 1}, {"id": 1, "x": 2}, {"id": 2}]}"#
    let same = try difference(old, old)
    #expect(same.isSame)
    #expect(same.collections[0].duplicates == 2)
    #expect(same.collections[0].changes.map(\.kind) == [.duplicate, .duplicate])
    #expect(same.collections[0].changes[0].key == "1")
    let other = try difference(old, #"{"people": [{"id": 1, "x": 3}, {"id": 1, "x": 2}, {"id": 2}]}"#).collections[0]
    #expect(other.changed == 0 && other.removed == 1 && other.added == 1 && other.same == 2)
  }

  @Test func `only the selected collections are compared`() throws {
    let old = #"{"people": [{"id": 1}], "notes": [1], "metadata": {"device": 1}}"#
    let new = #"{"people": [{"id": 1}], "notes": [2], "metadata": {"device": 2}}"#
    #expect(try !difference(old, new).isSame)
    let people = try difference(old, new) { $0.only = CollectionSelection(["people"]) }
    #expect(people.isSame)
    #expect(people.collections.map(\.title) == ["people"])
    #expect(throws: CofferError.self) { try difference(old, new) { $0.only = CollectionSelection(["persons"]) } }
  }

  @Test func `documents of different formats are not compared`() throws {
    let comparer = Comparer(.detected(FormatCatalog.builtIn.preceded(by: [format])))
    let known = Backup(bytes: Array(#"{"cars": [], "expenses": [], "metadata": {"databaseSchemaVersion": 9}}"#.utf8), named: "ev")
    let unknown = Backup(bytes: Array("{\"a\": 1}".utf8), named: "other")
    let error = #expect(throws: CofferError.self) { try comparer.difference(from: known, to: unknown) }
    #expect(error?.code == .differentFormats)
    #expect(error?.message.hasPrefix("ev is ev-charging-tracker, other is of unknown format") == true)
    #expect(try comparer.difference(from: unknown, to: unknown).isSame)
  }

  @Test func `cancellation ends the comparison`() throws {
    let cancellation = Cancellation()
    cancellation.request()
    #expect(throws: CancellationError.self) { try difference("{}", "{}") { $0.execution.cancellation = cancellation } }
  }
}
