import Foundation
import TestSupport
import Testing

@testable import Coffer

@Suite struct RecordTests {
  private static func json(_ value: some Encodable, pretty: Bool = false) throws -> String {
    let encoder = JSONEncoder()
    if pretty { encoder.outputFormatting = [.prettyPrinted, .sortedKeys] }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func options(jobs: Int = 2, sliceSize: Int? = 300) -> RecordOptions {
    var options = RecordOptions()
    options.execution.jobs = jobs
    if let sliceSize { options.slices?.sliceSize = sliceSize } else { options.slices = nil }
    return options
  }

  private static func backup(_ text: String, syntax: JSONSyntax = .json) -> Backup {
    Backup(bytes: Array(text.utf8), syntax: syntax)
  }

  /// Returns every record before the error, and the error.
  private static func read<Record>(_ records: RecordSequence<Record>) async -> (records: [Record], error: (any Error)?) {
    var read: [Record] = []
    do {
      for try await record in records { read.append(record) }
      return (read, nil)
    } catch {
      return (read, error)
    }
  }

  // MARK: What is read

  @Test(arguments: [
    ("/trips", "{\"cars\":[1,2],\"trips\":HERE,\"end\":{\"trips\":[1]}}"), ("", "HERE"),
    ("/a/b", "{\"a\":{\"c\":[[]],\"b\":HERE}}"),
    ("/a/b/c/d", "{\"a\":{\"b\":{\"c\":{\"d\":HERE}}}}"), ("/1/x", "[{\"x\":3},{\"y\":[],\"x\":HERE},{\"x\":[5]}]"),
    ("/a~1b/~0", "{\"a/b\":{\"~\":HERE}}"), ("/0", "[HERE, 1]"),
    ("/", "{\"\":HERE}"),
  ])
  func `records are the same as decoding the whole array, with any slices`(pointer: String, document: String) async throws {
    let trips = Trip.made(80)
    for pretty in [false, true] {
      let text = document.replacing("HERE", with: try Self.json(trips, pretty: pretty))
      for options in [Self.options(), Self.options(jobs: 1), Self.options(jobs: 3, sliceSize: 1), Self.options(sliceSize: nil)] {
        let (records, error) = await Self.read(Self.backup(text).records(Trip.self, at: pointer, options: options))
        #expect(records == trips)
        #expect(error == nil)
      }
    }
  }

  @Test func `each line of JSON Lines is a record of the root`() async throws {
    let trips = Trip.made(50)
    let text = try trips.map { try Self.json($0) }.joined(separator: "\n\n")
    for sliceSize in [nil, 1, 300] {
      let records = Self.backup(text, syntax: .jsonLines).records(Trip.self, at: "", options: Self.options(sliceSize: sliceSize))
      let (read, error) = await Self.read(records)
      #expect(read == trips)
      #expect(error == nil)
    }
    let stops = Self.backup(text, syntax: .jsonLines).records(Trip.Stop.self, at: "/7/stops")
    #expect(await Self.read(stops).records == trips[7].stops)
  }

  @Test(arguments: [nil, 1, 40]) func `numbers and strings can be records`(sliceSize: Int?) async throws {
    let values = [0, -1, 12345678901, 7, 8, 9, 10]
    let text = "{\"v\": [ \(values.map(String.init).joined(separator: " ,\n ")) ]}"
    #expect(
      await Self.read(Self.backup(text).records(Int.self, at: "/v", options: Self.options(sliceSize: sliceSize))).records
        == values)
    let strings = ["a,", "", "]\"", "\u{0}é"]
    let backup = Self.backup(try Self.json(strings))
    #expect(await Self.read(backup.records(String.self, at: "", options: Self.options(sliceSize: sliceSize))).records == strings)
  }

  @Test func `decimal numbers are exact`() async throws {
    let text = #"{"v": [0.1, 123456789012345678901234.5678, -0.000001, 100]}"#
    for sliceSize in [nil, 5] {
      let records = Self.backup(text).records(Decimal.self, at: "/v", options: Self.options(sliceSize: sliceSize))
      #expect(
        await Self.read(records).records.map(\.description) == ["0.1", "123456789012345678901234.5678", "-0.000001", "100"])
    }
  }

  @Test func `the given decoder decodes the records`() async throws {
    struct Dated: Decodable, Sendable, Equatable { let createdAt: Date }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let backup = Self.backup(#"{"v": [{"created_at": "1970-01-01T00:01:00Z"}]}"#)
    let (records, _) = await Self.read(backup.records(Dated.self, at: "/v", decoder: decoder))
    #expect(records == [Dated(createdAt: Date(timeIntervalSince1970: 60))])
  }

  @Test func `an empty collection has no records`() async throws {
    let (records, error) = await Self.read(Self.backup(#"{"a": [ ]}"#).records(Int.self, at: "/a"))
    #expect(records.isEmpty && error == nil)
  }

  // MARK: What can't be read

  @Test(arguments: [
    ("/trips", #"{"a": 1}"#, "no-such-value", "the document has no member 'trips'"),
    ("/a/b", #"{"a": {"c": []}}"#, "no-such-value", "/a has no member 'b'"),
    ("/a/b", #"{"a": "x"}"#, "no-such-value", "/a is a string, which has no member 'b'"),
    ("/2", "[[], []]", "no-such-value", "the document has no item 2"),
    ("/a", #"{"a": {}}"#, "not-an-array", "/a is an object, not an array"),
    ("", "3", "not-an-array", "the document is a number, not an array"),
    ("/a", "null", "no-such-value", "the document is null, which has no member 'a'"),
    ("trips", "[]", "invalid-pointer", "'trips' is not a JSON Pointer; examples are '/expenses', and '' for the root"),
  ])
  func `a pointer that leads to no array is an error`(pointer: String, text: String, code: String, message: String) async {
    let (records, error) = await Self.read(Self.backup(text).records(Int.self, at: pointer))
    #expect(records.isEmpty)
    #expect((error as? CofferError)?.code.rawValue == code)
    #expect((error as? CofferError)?.message == message)
  }

  @Test(arguments: [nil, 1, 1000]) func `a collection that occurs twice is an error after the first`(sliceSize: Int?) async {
    let text = #"{"v": [1, 2], "v": [3]}"#
    let (records, error) = await Self.read(
      Self.backup(text).records(Int.self, at: "/v", options: Self.options(sliceSize: sliceSize)))
    #expect(records == [1, 2])
    #expect((error as? CofferError)?.message == "the document has /v twice")
  }

  /// The same records come before the same error, however the collection is sliced, even if the error is far after it.
  @Test(arguments: [
    (#"{"v": [1, 2, 3, 4, 5 6]}"#, 5, 21), (#"{"v": [1, 2, 3, 4, 5, 6]"#, 6, 24),
    (#"{"v": [1, 2, 3], "w": [4, 5, 6, 7, x]}"#, 3, 35),
    (#"{"v": [1, 2, "#, 2, 13), (#"{"v": [1, 2, {"a": 3], 4]}"#, 2, 20), (#"{"v": [1, 2]} x"#, 2, 14),
  ])
  func `malformed JSON is an error with its place, after the records before it`(text: String, count: Int, offset: Int) async {
    for sliceSize in [nil, 1, 8, 1000] {
      let (records, error) = await Self.read(
        Self.backup(text).records(Int.self, at: "/v", options: Self.options(sliceSize: sliceSize)))
      #expect(records == Array(1...count))
      #expect((error as? CofferError)?.position.offset == offset)
    }
  }

  @Test func `a broken line is an error after the records before it`() async {
    for sliceSize in [nil, 1, 1000] {
      let backup = Self.backup("1\n2\n3 4\n5", syntax: .jsonLines)
      let (records, error) = await Self.read(backup.records(Int.self, at: "", options: Self.options(sliceSize: sliceSize)))
      #expect(records == [1, 2])
      #expect((error as? CofferError)?.position == TextPosition(offset: 6, line: 3, column: 3))
    }
  }

  @Test(arguments: [
    (#"{"id": 1, "name": "x", "stops": [{"place": "é", "minutes": "5"}]}"#, "/trips/2/stops/0/minutes", 60),
    (#"{"id": 1, "name": "x"}"#, "/trips/2/stops", 0), (#"{"id": true, "name": "x", "stops": []}"#, "/trips/2/id", 7),
    ("null", "/trips/2", 0), (#"{"id": 1, "name": "x", "stops": [{"place": "é"}]}"#, "/trips/2/stops/0/minutes", 33),
    (#"{"id": 1, "name": null, "stops": []}"#, "/trips/2/name", 18), ("[[1, 2], {}]", "/trips/2", 0),
  ])
  func `a record that cannot be decoded is an error with its pointer and place`(
    record: String, pointer: String, column: Int
  ) async throws {
    let sound = try Self.json(Trip.made(2))
    let text = "{\"trips\":\n\(sound.dropLast()),\n  \(record) ,\n\(record)]}"
    let offset = text.utf8.count - text.split(separator: "\n").suffix(2).joined(separator: "\n").utf8.count
    for sliceSize in [nil, 1, 100, 100_000] {
      let (records, error) = await Self.read(
        Self.backup(text).records(Trip.self, at: "/trips", options: Self.options(sliceSize: sliceSize)))
      #expect(records == Trip.made(2))
      let failure = try #require(error as? CofferError)
      #expect(failure.place.pointer == pointer)
      #expect(failure.position.line == 3)
      // The é takes two bytes and one column.
      let isBehind = column > 45
      #expect(failure.position.column == 3 + column - (isBehind ? 1 : 0))
      #expect(failure.position.offset == offset + 2 + column)
      #expect(failure.underlying is DecodingError)
      #expect(failure.description.contains("(\(pointer), line 3, "))
    }
  }

  @Test func `a sequence of records can be read again`() async throws {
    let records = Self.backup("[1,2,3]").records(Int.self, at: "")
    #expect(await Self.read(records).records == [1, 2, 3])
    #expect(await Self.read(records).records == [1, 2, 3])
  }

  @Test func `the iterator returns nil after an error`() async throws {
    var iterator = Self.backup("[1,2").records(Int.self, at: "").makeAsyncIterator()
    var read: [Int] = []
    await #expect(throws: CofferError.self) { while let next = try await iterator.next() { read.append(next) } }
    // The 2 may be the start of a longer number.
    #expect(read == [1])
    #expect(try await iterator.next() == nil)
  }

  @Test func `a missing file is an error`() async {
    let (_, error) = await Self.read(Backup(path: "/no/such/file.json").records(Int.self, at: ""))
    #expect((error as? CofferError)?.code == .notFound)
  }
}
